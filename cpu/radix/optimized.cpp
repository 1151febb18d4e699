// Radix sort, least significant digit first, in base 256: a digit is a byte.
//
// Over radix/naive it adds: bytes instead of decimal digits (4 passes instead of 10 for 32-bit
// keys, 8 instead of 20 for 64-bit ones; a shift instead of a division); one sweep that counts the
// digits of all passes; no pass for a digit that all keys share; and two buffers that change roles
// after each pass instead of a copy back. By key traffic alone (naive: 5 reads or writes of a key
// per pass) that is 51 : 9 for 32-bit keys.
//
// Passes: one read to count, then one read and one write for each digit in which the keys differ.
// Stable. Limits: each bucket of the scatter writes to a different page, so it depends on the TLB.
// Gain over naive: 2.75x (2^24 u32 keys, 1 thread of an AMD EPYC; results/amd2/table1.summary.csv).
// Bytes per u32 key: 36 (4 to count, 8 in each of 4 passes).
// Against the sources: one read counts the digits of all passes; no pass is skipped for sorted keys as
// such, only for a digit that all keys share; built for any x86-64 CPU, not with -march=native -mavx2.
// Source: Goralija et al., III (base 256, skipped passes: Bosnian edition, III.B); Knuth, "The Art of
// Computer Programming", vol. 3, section 5.2.5.
#include <numeric>
#include <utility>

#include "common/contract/variant.hpp"
#include "cpu/radix/digits.hpp"

namespace sortlab {
namespace {
using namespace cpu::radix;

/// Moves each item to the next free place of its digit's bucket.
///
///   from  | 2 0 1 0 2 |      to  | 0 0 | 1 | 2 2 |
///                                  ^     ^   ^     next[digit], stepping right
template <class Job, class Items>
void scatter(Items from, Items to, std::size_t n, int pass, Counts& next) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto item = from[i];
    to.put(next[digit_of<Job>(item.key, pass)]++, item);
  }
}

struct LsdBase256 {
  static constexpr Info info{.summary = "LSD base 256, skips the digits that all keys share",
                             .source = "Goralija et al., III.B; Knuth, TAOCP vol. 3, section 5.2.5",
                             .after = "cpu/radix/naive",
                             .stable = true,
                             .alternate = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    if (job.n == 0) return ResultIn::data;
    Counts counts[kPasses<Job>] = {};
    count_all_digits<Job>(job.data.keys, 0, job.n, counts);

    auto from = job.data;
    auto to = job.alternate;
    for (int pass = 0; pass < kPasses<Job>; ++pass) {
      const bool one_digit_value = counts[pass][digit_of<Job>(from.keys[0], pass)] == job.n;
      if (one_digit_value) continue;
      Counts next;
      std::exclusive_scan(counts[pass].begin(), counts[pass].end(), next.begin(), std::size_t{0});
      scatter<Job>(from, to, job.n, pass, next);
      std::swap(from, to);
    }
    return from.keys == job.data.keys ? ResultIn::data : ResultIn::alternate;
  }
};
SORTLAB_REGISTER(LsdBase256, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

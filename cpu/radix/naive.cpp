// Radix sort, least significant digit first, in base 10: one stable counting sort for each decimal
// digit.
//
// Textbook form: a scan for the largest key gives the number of digits. Divisions extract the
// digits. Each pass counts, places items from the back into a second array, and copies them back.
//
// Passes: as many as the largest key has decimal digits (10 for uniform 32-bit keys, 20 for
// 64-bit), each reading the keys three times and writing them twice. Signed, floating-point and
// descending keys are sorted as unsigned integers in the same order. Stable.
// Bytes per u32 key: 204 (4 for the largest key, 20 in each of 10 passes).
// Against the sources: 64-bit, signed, floating-point and descending keys; built for any x86-64 CPU, not
// with -march=native -mavx2.
// Source: Goralija et al., III (base 10, counting sort by digit: Bosnian edition, III.B); Cormen,
// Leiserson, Rivest, Stein, "Introduction to Algorithms", sections 8.2 and 8.3.
#include <algorithm>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

template <class Job>
constexpr auto bits_of(typename Job::Key key) {
  return to_radix_bits<typename Job::Key, Job::kOrder>(key);
}

template <class Job>
auto largest_bits(const Job& job) {
  auto largest = bits_of<Job>(job.data.keys[0]);
  for (std::size_t i = 1; i < job.n; ++i) {
    largest = std::max(largest, bits_of<Job>(job.data.keys[i]));
  }
  return largest;
}

/// Sorts by the decimal digit whose place value is `place`: 1, 10, 100, ...
///
///   counts  [ 2 0 3 ... ]  --running sums-->  ends  [ 2 2 5 ... ]
///   output  | 0 0 |  | 2 2 2 | ...            each digit fills its range from the end backwards
template <class Job, class Bits>
void counting_sort(const Job& job, Bits place) {
  const auto digit = [place](typename Job::Key key) { return bits_of<Job>(key) / place % 10; };

  std::size_t ends[10] = {};
  for (std::size_t i = 0; i < job.n; ++i) ++ends[digit(job.data.keys[i])];
  for (int d = 1; d < 10; ++d) ends[d] += ends[d - 1];

  // From the back, so that of two items with equal digits the later one lands further on.
  for (std::size_t i = job.n; i-- > 0;) {
    job.alternate.put(--ends[digit(job.data.keys[i])], job.data[i]);
  }
  for (std::size_t i = 0; i < job.n; ++i) job.data.put(i, job.alternate[i]);
}

struct LsdBase10 {
  static constexpr Info info{.summary = "LSD base 10, one counting sort per digit",
                             .source = "Goralija et al., III.B; CLRS, sections 8.2 and 8.3",
                             .stable = true,
                             .alternate = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    if (job.n == 0) return ResultIn::data;
    const auto largest = largest_bits(job);
    using Bits = BitsOf<typename Job::Key>;
    // The place value of the next digit may overflow Bits, so the loop ends on the quotient.
    Bits place = 1;
    counting_sort(job, place);
    while (largest / place >= 10) {
      place *= 10;
      counting_sort(job, place);
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(LsdBase10, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

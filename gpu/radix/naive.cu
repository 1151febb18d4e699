// LSD radix sort by one GPU thread, <<<1, 1>>>. It shows the cost of a launch and of the copies,
// without any parallelism.
//
// Digits of 8 bits: count, prefix sums, stable scatter to the other buffer; 4 or 8 passes, so that
// the result is back in `data`. The counts of a digit are in the block's shared memory.
// Limits: bounded n.
// Source: Goralija et al., Bosnian edition, section III.D: the naive GPU versions (docs/papers.md).
#include "gpu/primitives/launch/one_thread.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"

namespace sortlab {
namespace {

constexpr unsigned kDigitBits = 8;
constexpr unsigned kDigits = 1u << kDigitBits;

template <Order kOrder, class Key, class Value>
__global__ void one_thread(Items<Key, Value> from, Items<Key, Value> to, std::size_t n) {
  __shared__ std::size_t s_place[kDigits];  // of the next key with that digit
  for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += kDigitBits) {
    const auto digit_of = [shift](Key key) {
      return static_cast<unsigned>((to_radix_bits<Key, kOrder>(key) >> shift) % kDigits);
    };
    for (unsigned digit = 0; digit < kDigits; ++digit) s_place[digit] = 0;
    for (std::size_t i = 0; i < n; ++i) ++s_place[digit_of(from.keys[i])];
    std::size_t before = 0;
    for (unsigned digit = 0; digit < kDigits; ++digit) {
      const std::size_t count = s_place[digit];
      s_place[digit] = before;
      before += count;
    }
    for (std::size_t i = 0; i < n; ++i) to.put(s_place[digit_of(from.keys[i])]++, from[i]);
    const auto written = to;
    to = from;
    from = written;
  }
}

struct Naive {
  static constexpr Info info{.summary = "LSD radix by one GPU thread",
                             .source = "Goralija et al., Bosnian edition, III.D: naive GPU",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static Limit patience(std::string_view) { return gpu::one_thread_limit(); }

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::launch_one_thread(one_thread<Job::kOrder, typename Job::Key, typename Job::Value>,
                           job.stream, job.data, job.alternate, job.n);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Naive>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Bitonic sort by one GPU thread, <<<1, 1>>>. It shows the cost of a launch and of the copies,
// without any parallelism.
//
// The three loops of the network in turn: stages k, distances j, pairs. O(n log^2 n) exchanges.
// Limits: bounded n. Any n, in place, by the direction rule of thread/bitonic_network.cuh.
// Source: Goralija et al., Bosnian edition, section III.D: the naive GPU versions (docs/papers.md).
#include "gpu/primitives/launch/one_thread.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/thread/bitonic_network.cuh"

namespace sortlab {
namespace {

template <class Less, class Key, class Value>
__global__ void one_thread(Items<Key, Value> data, std::size_t n) {
  for (std::size_t k = 2; k / 2 < n; k *= 2) {
    for (std::size_t j = k / 2; j > 0; j /= 2) {
      for (std::size_t p = 0; p < n / 2; ++p) {
        const auto pair = gpu::pair_of<gpu::Scheme::shifted>(p, j);
        if (!pair.is_within(n)) break;  // and so are all later pairs
        gpu::exchange<Less>(data, pair.low, pair.high, gpu::is_upwards(pair.low, n - 1, k));
      }
    }
  }
}

struct Naive {
  static constexpr Info info{.summary = "bitonic network by one GPU thread",
                             .source = "Goralija et al., Bosnian edition, III.D: naive GPU",
                             .memory = Memory::device,
                             .in_place = true};

  static Limit patience(std::string_view) { return gpu::one_thread_limit(); }

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::launch_one_thread(one_thread<typename Job::Less, typename Job::Key, typename Job::Value>,
                           job.stream, job.data, job.n);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Naive>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Merge sort by one GPU thread, <<<1, 1>>>. It shows the cost of a launch and of the copies,
// without any parallelism.
//
// Bottom up, from runs of one item, from one buffer into the other and back: log2(n) passes.
// Limits: bounded n.
// Source: Goralija et al., Bosnian edition, section III.D: the naive GPU versions (docs/papers.md).
#include <bit>

#include "gpu/primitives/launch/one_thread.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/thread/merge_path.cuh"

namespace sortlab {
namespace {

template <class Less, class Key, class Value>
__global__ void one_thread(Items<Key, Value> from, Items<Key, Value> to, std::size_t n) {
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t first = 0; first < n; first += 2 * width) {
      const auto runs = gpu::run_pair_at(first, width, n);
      gpu::merge_serially<Less>(from, runs, std::size_t{0},
                                static_cast<unsigned>(runs.end - runs.begin),
                                [=](unsigned e, auto item) { to.put(first + e, item); });
    }
    const auto written = to;
    to = from;
    from = written;
  }
}

struct Naive {
  static constexpr Info info{.summary = "bottom-up merge by one GPU thread",
                             .source = "Goralija et al., Bosnian edition, III.D: naive GPU",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static Limit patience(std::string_view) { return gpu::one_thread_limit(); }

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::launch_one_thread(one_thread<typename Job::Less, typename Job::Key, typename Job::Value>,
                           job.stream, job.data, job.alternate, job.n);
    const int passes = job.n > 1 ? std::bit_width(job.n - 1) : 0;
    return passes % 2 == 0 ? ResultIn::data : ResultIn::alternate;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Naive>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

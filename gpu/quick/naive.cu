// Quicksort by one GPU thread, <<<1, 1>>>. It shows the cost of a launch and of the copies, without
// any parallelism.
//
// Hoare's partition with an explicit stack: the larger part waits, so 64 entries are enough for any
// n. The pivot is at a pseudo-random place, so that sorted, organ-pipe and median-of-3-killer
// inputs take n log n like any other. Keys equal to the pivot are distributed evenly to both sides.
// Limits: bounded n.
// Source: Goralija et al., Bosnian edition, section III.D: the naive GPU versions (docs/papers.md).
#include "gpu/primitives/launch/one_thread.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/quick/hoare.cuh"

namespace sortlab {
namespace {

struct Segment {
  std::size_t begin;
  std::size_t end;
};

template <class Less, class Key, class Value>
__global__ void one_thread(Items<Key, Value> data, std::size_t n) {
  Segment stack[64];
  unsigned waiting = 0;
  unsigned long long random = 1;
  Segment now{0, n};
  for (;;) {
    while (now.end - now.begin > 1) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      const Key pivot = data.keys[now.begin + __umul64hi(random, now.end - now.begin)];
      const auto split = gpu::quick::hoare_partition<Less>(data, now.begin, now.end, pivot);
      const Segment left{now.begin, split.left_end};
      const Segment right{split.right_begin, now.end};
      const bool left_is_larger = left.end - left.begin > right.end - right.begin;
      stack[waiting++] = left_is_larger ? left : right;
      now = left_is_larger ? right : left;
    }
    if (waiting == 0) break;
    now = stack[--waiting];
  }
}

struct Naive {
  static constexpr Info info{.summary = "quicksort by one GPU thread",
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

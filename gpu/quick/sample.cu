// Sample sort: quicksort with hundreds of pivots at a time, chosen from a sorted sample.
//
// Over iterative: a key crosses memory a few times rather than about log2(n) times, no host in the
// loop, no queue that could overflow, and every step works with all threads of the GPU on all
// segments.
//
//     level 1   array   -> up to 2048 buckets     count, place, scatter   data -> alternate
//     level 2   buckets -> up to 2048 each        the same                alternate -> data
//     leaves    a warp sorts a bucket by a bitonic network in registers
//
// A level reads the keys twice and writes them once; with the leaves 32 bytes a 32-bit key. Keys
// are compared as unsigned integers ordered alike (gpu/primitives/key_map.hpp), never by digits.
// A key frequent enough to be a splitter twice gets a bucket of its own, which is done at once; so
// equal keys make the sort shorter. A bucket larger than a warp can sort is a block's; one beyond a
// block's tile, which takes keys made to defeat the sample, is sorted slowly in global memory.
// Source: Leischner, Osipov and Sanders, "GPU sample sort", 2010; Axtmann et al., "In-place
// parallel super scalar samplesort", 2017, for the buckets of one key.
#include "gpu/quick/sample_sort.cuh"

namespace sortlab {
namespace {

struct Sample {
  static constexpr Info info{
      .summary = "sample sort, two levels of up to 2048 buckets, then a warp a bucket",
      .source = "Leischner, Osipov and Sanders 2010",
      .after = "gpu/quick/iterative",
      .memory = Memory::device,
      .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    gpu::Layout layout;
    visit_sizes(request, [&]<class Key, class Value>() {
      gpu::sample::Workspace<Key>(layout, gpu::sample::levels_for<Key, Value>(request.n));
    });
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::sample::sort_by_samples(gpu::as_bits(job.data), gpu::as_bits(job.alternate), job.n,
                                 gpu::key_map_of<typename Job::Key, Job::kOrder>(),
                                 job.workspace.data(), job.stream);
    return ResultIn::data;
  }

 private:
  /// Calls f for types of the request's sizes: the layout depends on nothing else.
  template <class F>
  static void visit_sizes(const WorkspaceRequest& request, F f) {
    const auto with_key = [&]<class Key>() {
      if (request.value_bytes == 0) {
        f.template operator()<Key, NoValue>();
      } else {
        f.template operator()<Key, std::uint32_t>();
      }
    };
    if (request.key_bytes == 8) {
      with_key.template operator()<std::uint64_t>();
    } else {
      with_key.template operator()<std::uint32_t>();
    }
  }
};
SORTLAB_REGISTER(Sample, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

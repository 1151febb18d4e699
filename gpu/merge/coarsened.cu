// Merge sort with E outputs per thread: one Merge Path search, then E steps of a serial merge.
//
// Over per_element: a search for every E keys rather than for each (E = 8: an eighth of the
// probes). A warp passes its 32 E outputs through shared memory and so writes whole lines. Threads
// that stored their own E neighbours would send each sector to L2 several times. 18 passes at 2^27.
//
//     outputs of a warp   | t0: E | t1: E | ... | t31: E |   merged by each thread into s_out,
//                         ---------- 32 at a time ----------   then stored by all lanes together
//
// Against the sources: one search for E outputs, as the text says; algorithm 2 prints one for each
// (per_element with items=E). The outputs pass through shared memory. The search and the output use
// the same rule for equal keys; a short last run needs no padding; threads beyond n stay for the
// warp's synchronization.
// Gain over per_element: 3.20x (2^27 u32 keys, H200; results/h200/ladder.summary.csv).
// Source: Goralija et al., section III.C.2 and algorithm 2 (its tables call this PerElement E = 8);
// Bosnian edition, section IV.C (Coarsened) (docs/papers.md).
#include "gpu/merge/passes.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab {
namespace {

template <class Less, class Key, class Value>
__global__ void merge_coarsened(Items<Key, Value> from, Items<Key, Value> to, std::size_t n,
                                std::size_t width, unsigned items) {
  const auto s_out = gpu::items_at<Key, Value>(gpu::dynamic_shared(),
                                               gpu::skewed_count(std::size_t{blockDim.x} * items));
  const std::size_t block_first = std::size_t{blockIdx.x} * blockDim.x * items;
  const unsigned thread_first = threadIdx.x * items;
  const std::size_t at = block_first + thread_first;
  if (at < n) {
    const auto runs = gpu::run_pair_at(at, width, n);
    gpu::merge_serially<Less>(
        from, runs, at - runs.begin, gpu::count_in_tile(n, at, items),
        [=](unsigned e, auto item) { s_out.put(gpu::skewed(thread_first + e), item); });
  }
  __syncwarp();

  const unsigned warp_first = gpu::warp_id() * gpu::kWarp * items;
  for (unsigned e = 0; e < items; ++e) {
    const unsigned place = warp_first + e * gpu::kWarp + gpu::lane_id();
    if (block_first + place < n) to.put(block_first + place, s_out[gpu::skewed(place)]);
  }
}

struct Coarsened {
  static constexpr Info info{.summary = "Merge Path passes, E outputs per thread",
                             .source = "Goralija et al., III.C.2: PerElement with E = 8, Coarsened",
                             .after = "gpu/merge/per_element",
                             .memory = Memory::device,
                             .alternate = true,
                             .params = gpu::merge::kMergeParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Less = typename Job::Less;
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    const unsigned threads = gpu::power_of_two(job.params, "threads");
    const unsigned items = gpu::power_of_two(job.params, "items");
    const std::size_t tile = std::size_t{threads} * items;
    const gpu::Grid grid{ceil_div(job.n, tile), threads,
                         gpu::bytes_of_items<Key, Value>(gpu::skewed_count(tile))};
    return gpu::merge::merge_tiles_of_512(job, [&](auto from, auto to, std::size_t width) {
      gpu::launch("merge_coarsened", merge_coarsened<Less, Key, Value>, grid, job.stream, from, to,
                  job.n, width, items);
    });
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Coarsened>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

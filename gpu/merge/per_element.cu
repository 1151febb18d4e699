// Merge sort with one output per thread: a bitonic sort of blocks of 512, then Merge Path passes in
// which each thread finds the source of its one output by binary search.
//
// A pass merges pairs of runs of w items into runs of 2w, from one buffer into the other:
//
//     from  | run w | run w | run w | ru |        to  |    run 2w     |   run w + rest  |
//
// Over naive: one thread per output, perfectly balanced for all keys. But each
// key costs log2(w) probes; its neighbours share most of them, and the caches serve them. 18 passes
// at 2^27.
// Against the sources: the search and the output use the same rule for equal keys (theirs search
// with < and output with <=, and lose an item among equal keys); a short last run needs no padding.
// Gain over naive: 412x (2^14 u32 keys, H200; results/h200/ladder.summary.csv).
// Source: Goralija et al., section III.C.2 and algorithm 2 with E = 1; Bosnian edition, section
// III.D: PerElement (docs/papers.md).
#include "gpu/merge/passes.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/thread/merge_path.cuh"

namespace sortlab {
namespace {

template <class Less, class Key, class Value>
__global__ void merge_elements(Items<Key, Value> from, Items<Key, Value> to, std::size_t n,
                               std::size_t width) {
  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const auto runs = gpu::run_pair_at(at, width, n);
  gpu::merge_serially<Less>(from, runs, at - runs.begin, 1,
                            [=](unsigned, auto item) { to.put(at, item); });
}

struct PerElement {
  static constexpr ParamSpec kParams[] = {{"threads", 256, 64, 1024, "threads a block"}};
  static constexpr Info info{.summary = "Merge Path passes, one output per thread",
                             .source = "Goralija et al., III.C.2: PerElement, E = 1",
                             .after = "gpu/merge/naive",
                             .memory = Memory::device,
                             .alternate = true,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Less = typename Job::Less;
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    const unsigned threads = gpu::whole_warps(job.params, "threads");
    return gpu::merge::merge_tiles_of_512(job, [&](auto from, auto to, std::size_t width) {
      gpu::launch("merge_elements", merge_elements<Less, Key, Value>,
                  {ceil_div(job.n, threads), threads}, job.stream, from, to, job.n, width);
    });
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<PerElement>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

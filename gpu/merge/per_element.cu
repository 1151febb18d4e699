// Merge sort with a search for each output: a bitonic sort of blocks of 512, then Merge Path passes in
// which a thread finds the source of its one output, or of each of E neighbours, by binary search.
//
// A pass merges pairs of runs of w items into runs of 2w, from one buffer into the other:
//
//     from  | run w | run w | run w | ru |        to  |    run 2w     |   run w + rest  |
//
// Over naive: one thread per output, perfectly balanced for all keys. But each
// key costs log2(w) probes; its neighbours share most of them, and the caches serve them. 18 passes
// at 2^27.
// Against the sources: the search and the output use the same rule for equal keys (theirs search
// with < and output with <=, and lose an item among equal keys); a short last run needs no padding;
// E = 1 unless `items` says more. With items=8 it is algorithm 2 as printed, where the text means one
// search for E outputs (coarsened).
// Gain over naive: 412x (2^14 u32 keys, H200; results/h200/ladder.summary.csv).
// Source: Goralija et al., section III.C.2 and algorithm 2; Bosnian edition, section
// III.D: PerElement (docs/papers.md).
#include "gpu/merge/passes.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/thread/merge_path.cuh"

namespace sortlab {
namespace {

template <class Less, class Key, class Value>
__global__ void merge_elements(Items<Key, Value> from, Items<Key, Value> to, std::size_t n,
                               std::size_t width, unsigned items) {
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * items;
  for (std::size_t at = first; at < first + items && at < n; ++at) {
    const auto runs = gpu::run_pair_at(at, width, n);
    gpu::merge_serially<Less>(from, runs, at - runs.begin, 1,
                              [=](unsigned, auto item) { to.put(at, item); });
  }
}

struct PerElement {
  static constexpr ParamSpec kParams[] = {
      {"threads", 256, 64, 1024, "threads a block"},
      {"items", 1, 1, 16, "outputs a thread, each by a search of its own"}};
  static constexpr Info info{.summary = "Merge Path passes, a search for each output",
                             .source = "Goralija et al., III.C.2 and algorithm 2: PerElement",
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
    const auto items = static_cast<unsigned>(job.params["items"]);
    const gpu::Grid grid{ceil_div(job.n, std::size_t{threads} * items), threads};
    return gpu::merge::merge_tiles_of_512(job, [&](auto from, auto to, std::size_t width) {
      gpu::launch("merge_elements", merge_elements<Less, Key, Value>, grid, job.stream, from, to,
                  job.n, width, items);
    });
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<PerElement>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

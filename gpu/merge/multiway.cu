// Merge sort that reads and writes the memory half as often: a block sorts a tile in shared memory,
// and each pass merges four runs into one. Stable, by the comparison alone.
//
//     tiles    | t0 | t1 | t2 | t3 | t4 | ...        sorted in registers and shared memory
//     pass     |    4 in 1, 4 T    |                 a block: cut out its outputs' part of 4 runs,
//     pass     |       4 in 1, 16 T         ...      merge 2 + 2, then both, all in shared memory
//
// Over block_merge: a quarter as many passes over the memory (tiles of thousands of items, four
// ways). Keys alone are taken out of shared memory without a bank conflict, K outputs a thread, and
// put in order by a network (merge_sort/tile.cuh). With values, equal keys have to keep their order:
// in a network each would need its place beside it, so that a tile is sorted by the ranks of its
// items, and a thread of a merge walks along two runs. Where a block's outputs begin in the four runs is
// found a bit of all four positions a round, by a thread or, for few, by sixteen lanes (multiway/cut.cuh).
// The first row that fits decides (sort() in multiway/sort.cuh):
//
//     items                        sorted by
//     at most 4096                 a block alone: a tile (multiway/sort_tiles.cuh)
//     at most 2^20                 a team of blocks in one launch, split at sampled keys (multiway/team.cuh)
//     more                         tiles and passes (multiway/sort_tiles.cuh, multiway/pass.cuh):
//       equal keys are the same      networks in both
//       pairs; order to be kept      ranks in the tiles, walks in the passes (multiway/walk.cuh)
//
// Items of more than 8 bytes take smaller tiles and teams, the largest no team (PlanFor). The header
// multiway/sort.cuh sorts any user's keys by any comparison. Attempts: docs/lab/gpu/merge/multiway.md.
// This variant compares the suite's keys as unsigned integers ordered alike (gpu/primitives/key_map.hpp), so
// that keys of one width share their kernels: the first step makes them, the last pass makes keys again.
// measured: 2^27, ms, without and with the map: f32 8.10 vs 3.86, f64 13.2 vs 8.33, u32 and u64 alike; H200,
// results/h200/rooms
// Bytes per key: (1 + ceil(log4(n / tile))) * 2 * (key + value); twice that was a two-way merge's.
// Input in order is only read, once, when the number of passes is even, else copied.
// Source: Merge Path (Odeh, Green et al. 2012), multisequence selection (Varman et al. 1991), the
// gather without conflicts (Berney and Sitchinava 2022), Batcher's networks, walks with an odd K
// (Baxter's moderngpu 2013), regular sampling (Shi and Schaeffer 1992).
#include "common/contract/variant.hpp"
#include "gpu/merge/multiway/suite.cuh"

namespace sortlab {
namespace {

using namespace gpu::merge::multiway;

struct Multiway {
  static constexpr Info info{.summary = "tiles in shared memory, then four-way merge passes",
                             .source =
                                 "Odeh et al. 2012; Varman et al. 1991; "
                                 "Berney and Sitchinava 2022",
                             .after = "gpu/merge/block_merge",
                             .candidate = Candidate{.rank = 3, .block_kib = 92},
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
      return gpu::merge::multiway::workspace_bytes<SuitePlan<Bits, Value>>(request.n);
    };
    return visit_widths(request.key_bytes, request.value_bytes, bytes);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using P = SuitePlan<BitsOf<Key>, typename Job::Value>;
    return gpu::merge::multiway::sort<P>(gpu::as_bits(job.data), gpu::as_bits(job.alternate), job.n,
                                         job.workspace.data(), job.stream,
                                         gpu::key_map_of<Key, Job::kOrder>());
  }
};
SORTLAB_REGISTER(Multiway, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

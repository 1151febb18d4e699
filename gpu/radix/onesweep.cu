// LSD radix sort by 8 bits per pass, each key read once and written once a pass.
//
// One read of all keys counts the digits of every pass (sweep/pass_plan.cuh). Then a launch a pass: a
// block counts a tile's digits, learns by look-back what the tiles before it counted
// (sweep/tiles.cuh), sorts the tile by the digit in shared memory, and writes each bin as one run
// (sweep/partition_tile.cuh).
//
//     tile      2 0 1 0 2 0         count, look back, reorder
//     reordered 0 0 0 | 1 | 2 2     each run goes to where the tiles before ended their bin
//
// Against ballot_1bit: 8 bits rather than 1 a pass, and no separate count and scan: a 32-bit key
// moves 36 bytes rather than 384, a 64-bit key 136 rather than 1536. A pass in which all keys have
// the same digit is skipped, one pass does for all digits from which on keys are less than 256 apart
// (small keys of both signs: sweep/pass_plan.cuh), none for low digits that are zeros in all floats,
// and keys that are sorted already are only read, all decided on the device.
//
// What correctness rests on. Items are counted by atomicAdd in shared memory, then placed by
// another that returns the item's place (sweep/block_rank.cuh): a few instructions, against eight
// ballots for a stable rank. Among the lanes of a warp that add to one counter no order is
// promised. It is the order of the lanes where it was watched (in all of 67 million rows on one
// H200), but only speed rests on that. LSD needs each tile in the order of all digits so far, so
// every tile of keys alone after the first pass is checked for that while it is written: keys that
// are equal in the digits so far and come in another order are separated by a later pass or are
// the same. A tile of pairs is checked in every pass, by the digit and by where in the tile each
// item was. A tile that is not in order is repaired (repair_order) and written again before its
// block ends, to the same places. A test turns the lanes around, so that the repair is met:
// tests/faulty_device/scrambles_lanes.
//
// Tiles are as large as two blocks of an SM of an H200 can hold; fewer items are cut into smaller ones, so that all SMs
// have some (sweep/tiles.cuh). A block takes its tile before the pass in front has ended. Of keys alone, it
// also reads the plan then, and the first pass counts its tiles while the passes are planned.
//
// Limits: the look-back words take up to a sixtieth of the items (less than 3 MB for few items),
// on top of the alternate items.
//
// Gain, on an H200 at 2^27, over CUB's radix sort: 1.42 times with u32 keys, 1.29 with u64 keys, 1.18
// with u32 pairs (31, 15, 18 items per thread; h200/attempts/onesweep.*.txt, top_sweep.1.txt.xz).
// What was tried: docs/lab/gpu/radix/onesweep.md.
//
// Bytes per u32 key: 36 (4 to count, 8 in each of 4 passes).
// Source: Adinets and Merrill 2022 (Onesweep); look-back: Merrill and Garland 2016 (docs/papers.md).
#include "gpu/primitives/grid/sweep/sweeps.cuh"
#include "gpu/radix/sorts.hpp"

namespace sortlab {
namespace gpu::radix::onesweep {

std::size_t workspace_bytes(std::size_t key_bytes, std::size_t value_bytes, std::size_t n) {
  return visit_widths(key_bytes, value_bytes, [n]<class Bits, class Value>(Bits, Value) {
    return sweep::Sweeps<Bits, Value>(n, nullptr).space.bytes;
  });
}

void sort(const Call& call) {
  if (call.n == 0) return;
  call.visit([&]<class Bits, class Value>(Bits, Value) {
    sweep::Sweeps<Bits, Value>(call.n, call.d_workspace)
        .sort(call.as<sweep::Arrays, Bits, Value>(), call.stream);
  });
}

}  // namespace gpu::radix::onesweep

namespace {

struct Onesweep {
  static constexpr Info info{.summary = "LSD radix, 8 bits per pass in one sweep with look-back",
                             .source = "Adinets and Merrill 2022",
                             .after = "gpu/radix/ballot_1bit",
                             .candidate = gpu::radix::onesweep::kCandidate,
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return gpu::radix::onesweep::workspace_bytes(request.key_bytes, request.value_bytes, request.n);
  }
  static ResultIn sort_erased(const ErasedJob& job) {
    gpu::radix::onesweep::sort(gpu::radix::Call::of(job));
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(Onesweep, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

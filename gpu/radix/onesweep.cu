// LSD radix sort by 8 bits per pass, each key read once and written once a pass.
//
// One read of all keys counts the digits of every pass (sweep/pass_plan.cuh). Then a launch a pass: a
// block counts a tile's digits, learns by look-back what the tiles before it counted
// (sweep/look_back.cuh), sorts the tile by the digit in shared memory, and writes each bin as one run
// (sweep/partition_tile.cuh).
//
//     tile      2 0 1 0 2 0         count, look back, reorder
//     reordered 0 0 0 | 1 | 2 2     each run goes to where the tiles before ended their bin
//
// Against ballot_1bit: 8 bits rather than 1 a pass, and no separate count and scan: a 32-bit key
// moves 36 bytes rather than 384, a 64-bit key 136 rather than 1536. A pass in which all keys have
// the same digit is skipped, one pass does for all digits from which on keys are less than 256 apart (small keys of
// both signs: sweep/pass_plan.cuh), none for low digits that are zeros in all floats, and keys that are sorted already are only read, all decided on the device.
//
// What correctness rests on. Items are counted by atomicAdd in shared memory, then placed by
// another that returns the item's place (sweep/block_rank.cuh): a few instructions, against eight
// ballots for a stable rank. Among the lanes of a warp that add to one counter no order is
// promised. It is the order of the lanes where it was watched (in all of 67 million rows on one
// H200), but only speed rests on that. LSD needs each tile in the order of all digits so far, so
// every tile of keys alone after the first pass is checked for that while it is written: keys that
// are equal in the digits so far and come in another order are told apart by a later pass or are
// the same. A tile of pairs is checked in every pass, by the digit and by where in the tile each
// item was. A tile that is not in order is repaired (repair_order) and written again before its
// block ends, to the same places. A test turns the lanes around, so that the repair is met:
// tests/faulty_device/scrambles_lanes.
//
// Tiles are as large as two blocks of an SM of an H200 can hold; fewer items are cut into smaller ones, so that all SMs
// have some (sweep/tiles.cuh). A block takes its tile before the pass in front has ended.
//
// Limits: the look-back words take up to a sixtieth of the items (less than 3 MB for few items),
// on top of the alternate items.
//
// Gain, on an H200 at 2^27, over CUB's radix sort: 1.42 times with u32 keys, 1.29 with u64 keys, 1.18
// with u32 pairs (31, 15, 18 items per thread; h200/attempts/onesweep.*.txt, top_sweep.1.txt).
// What was tried: docs/lab/gpu/radix/onesweep.md.
//
// Bytes per u32 key: 36 (4 to count, 8 in each of 4 passes).
// Source: Adinets and Merrill 2022 (Onesweep); look-back: Merrill and Garland 2016 (docs/papers.md).
#include "gpu/primitives/grid/sweep/passes.cuh"
#include "gpu/primitives/grid/sweep/tiles.cuh"

namespace sortlab {
namespace {

using namespace gpu::sweep;

template <class Tile, class Bits, class Value>
gpu::sweep::Portions portions_of(std::size_t n) {
  return {n, sizeof(Bits) + kValueBytes<Value>, Tile::kTile};
}

struct Onesweep {
  static constexpr Info info{.summary = "LSD radix, 8 bits per pass in one sweep with look-back",
                             .source = "Adinets and Merrill 2022",
                             .after = "gpu/radix/ballot_1bit",
                             .candidate = Candidate{.rank = 1, .block_kib = 128},
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
      return with_tile<Bits, Value>(request.n, [&]<class Tile>(Tile) {
        return OnesweepSpace<kPasses<Bits>>(nullptr, portions_of<Tile, Bits, Value>(request.n))
            .bytes;
      });
    };
    const auto with_key = [&](auto bits) {
      return request.value_bytes == 0 ? bytes(bits, NoValue{}) : bytes(bits, std::uint32_t{});
    };
    return request.key_bytes == 4 ? with_key(std::uint32_t{}) : with_key(std::uint64_t{});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Bits = BitsOf<typename Job::Key>;
    using Value = typename Job::Value;
    if (job.n == 0) return ResultIn::data;
    with_tile<Bits, Value>(job.n, [&]<class Tile>(Tile) {
      const auto portions = portions_of<Tile, Bits, Value>(job.n);
      const OnesweepSpace<kPasses<Bits>> space(job.workspace.data(), portions);
      sort_in_sweeps<Tile>(arrays_of(job), job.n, space, portions, job.stream);
    });
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(Onesweep, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// LSD radix sort by 8 bits a pass, each key read once and written once a pass.
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
// the same digit is skipped, and keys that are sorted already are only read, all decided on the
// device.
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
// Limits: the look-back words take about a hundredth of the items (less than 3 MB for few items),
// on top of the alternate items. Tiles are for the H200: 227 KB of shared memory an SM, two blocks.
//
// What was tried: one H200, 2^27 uniform u32 keys unless it says else, speed over CUB's radix sort
// in the same run, by a driver of its own; "expected" is the figure set before, where there was
// one.
//
//     idea                                        expected  measured         kept
//     ranks by ballots, 16 keys a thread          1.0       0.79             no
//     ranks by masks (atomicOr, then one read)    1.2       0.97             no
//     ranks by returning atomics                  1.3       1.12             no, see below
//     the same, 20 keys a thread                  -         1.22             no
//     the same, 24 keys a thread                  -         1.32, 1.30       no
//     the same, 25, 27 keys                       -         1.32, 1.30       no
//     3 blocks an SM of 384 threads x 20          -         1.24             no
//     1 block of 512 x 32, or of 1024 x 20        -         1.12, 1.14       no
//     look-back reads 1, 4, 8 words at a time     4 best    0.97 1.12 1.12   4
//     plan: counters one a lane, no conflicts     0.131 ms  0.18 ms          yes
//     count first, place later: no ranks are
//       held, 25 keys a thread                    -         1.37             yes: more keys fit
//     the same, 27, 31, 35 keys                   -         1.40 1.42 1.43   31; 35 spills more
//     the same, 3 blocks of 384 threads x 27      -         1.42             no
//     u64: 8, 12, 15 keys, rank held              -         0.97 1.17 1.28   no
//     u64: 13, 15, 17 keys, count then place      -         1.23 1.29 1.30   15; 17 spills
//     pairs of u32 by masks, 16, 13, 12 items     -         0.93 1.00 1.02   no
//     pairs of u32 by ballots, 12 items           -         0.96             no
//     u64 with u32 by masks, 2^26: 8, 9, 10       -         0.90 0.94 0.93   no
//     pairs of u32 by returning atomics, checked
//       by place, values fetched by place: 13,
//       15, 17 items                              1.45      1.01 1.03 1.09   no
//     the same, 6 items read before they are
//       written: 17, 18 items                     -         1.15 1.18        18
//     the same, 3 blocks of 384 threads x 15      -         1.00             no
//     the same, 1 block of 1024 x 17              -         1.15             no
//     u64 with u32, all read first: 9, 13 items   1.29      0.88 0.97        no
//     the same, 5 items read first: 13            -         1.00             13
//     the same two, values in other banks where
//       keys are in order: reversed, was 0.86     1.0       0.95, 0.94       yes
//       nearly sorted, was 0.88, 0.86             1.0       0.96, 0.94       yes
//     the same two, as many blocks as fit rather
//       than one a tile                           -         1.06, 0.88       no
//     an odd number of keys a thread, and a heavy bin for a warp, not just the array:
//       reversed keys, 16 then 25 keys            1.0       0.78 to 1.29     yes
//       sawtooth, the same                        1.0       0.74 to 1.13     yes
//       nearly sorted, the same                   1.0       0.83 to 1.28     yes
//       16 different keys, the same               1.0       0.84 to 1.15     yes
//     the same four, count first, 31 keys:
//       reversed and sawtooth                     -         1.15, 1.22       yes
//       nearly sorted, 16 different keys          -         1.21, 1.22       yes
//     1, 2, 4 portions a pass (rank held, 25)     -         1.29 1.29 1.23   2, for the workspace
//
// Source: Adinets and Merrill, Onesweep (2022); look-back: Merrill and Garland (2016).
#include "gpu/primitives/grid/sweep/passes.cuh"

namespace sortlab {
namespace {

/// Items a thread, with 512 threads and two blocks an SM. Not 16: keys that spread evenly (as those
/// in order do in some passes) then give every bin 512 x 16 / 256 = 32 places, a row of
/// shared-memory banks, and a warp that writes to 32 bins writes to one bank. An odd number spreads
/// them over 16 banks, 18 spread them over 8.
template <class Key, class Value>
constexpr unsigned kItems = Items<Key, Value>::kPairs ? (sizeof(Key) == 4 ? 18 : 13)
                                                      : (sizeof(Key) == 4 ? 31 : 15);

/// Items a thread reads in its tile before it writes them: all, or of pairs as many as registers
/// hold.
template <class Key, class Value>
constexpr unsigned kWrite = Items<Key, Value>::kPairs ? (sizeof(Key) == 4 ? 6 : 5)
                                                      : kItems<Key, Value>;

template <class Key, class Value>
using PolicyOf =
    gpu::sweep::TilePolicy<gpu::sweep::ByAtomics, 512, kItems<Key, Value>, 2, kWrite<Key, Value>>;

template <class Key, class Value>
gpu::sweep::Portions portions_of(std::size_t n) {
  return {n, sizeof(Key) + kValueBytes<Value>, PolicyOf<Key, Value>::kTile};
}

struct Onesweep {
  static constexpr Info info{.summary = "LSD radix, 8 bits a pass in one sweep with look-back",
                             .source = "Onesweep, arXiv 2206.01784",
                             .after = "gpu/radix/ballot_1bit",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Key>(Key) {
      return gpu::sweep::OnesweepSpace<gpu::sweep::kPasses<Key>>(
                 nullptr, request.value_bytes == 0 ? portions_of<Key, NoValue>(request.n)
                                                   : portions_of<Key, std::uint32_t>(request.n))
          .bytes;
    };
    return request.key_bytes == 4 ? bytes(std::uint32_t{}) : bytes(std::uint64_t{});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    if (job.n == 0) return ResultIn::data;
    const auto portions = portions_of<Key, Value>(job.n);
    const gpu::sweep::OnesweepSpace<gpu::sweep::kPasses<Key>> space(job.workspace.data(), portions);
    gpu::sweep::sort_in_sweeps<PolicyOf<Key, Value>>(
        gpu::as_bits(job.data), gpu::as_bits(job.alternate), gpu::key_map_of<Key, Job::kOrder>(),
        job.n, space, portions, job.stream);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(Onesweep, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

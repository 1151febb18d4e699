// MSD hybrid radix sort of keys alone: split by the top bits until a bucket fits the shared memory
// of a block, then sort each bucket there.
//
//     data         [ . . . . . . . . . . . . . ]   level 0: count, plan, scatter by the top digit
//     alternate    [  0  |  1  |  2  |    3    ]   level 1: each bucket by its next digit
//     data         [00|01|10|11|20|21|30|31|32 ]   leaves: each sorted by a block, in place
//
// Over LSD: two passes and a leaf rather than four or eight passes, whatever the width of a key:
// 28 bytes per 32-bit key against 36, 56 bytes per 64-bit key against 136. And as keys alone need no
// stability, a key's rank is one shared atomic, which also says where in the block's memory it
// goes, and a place one global one, without ballots or look-back.
//
// The first row that fits decides (sort_tuned() and sort_on() in msd_hybrid/sort.cuh); the host takes the first three
// decisions, the device the others:
//
//   keys                                           sorted by
//   floats of 32 bits, and below 2 M of 64 bits    sweeps over all digits: the passes of onesweep, without a gain over it
//   so many that they would need three levels:     sweeps
//     over 1174 M of 32 bits, 352 M of 64, 275 M f64
//   so few that a block has room for them          one leaf
//   uneven in a sample (spread/look.cuh)           sweeps over all digits but of a key that most items are
//     f64: by bits behind a prefix, and once spread  (sweep/common_key.cuh)
//   a bin too large for a leaf, by the counts      the same
//   up to 8.6 M of 32 bits, 7.3 M of 64            one level of up to 2^12 bins (64 bits: 2^11), then leaves
//   more                                           two levels, by 8 and 7 bits for 2^27, then leaves:
//     up to 146 M                                    one read counts both digits
//     more, split by more than 15 bits in all        each digit is counted by itself
//
// Digits are as wide as evenly spread keys need; the device plans all of it. A key of 32 bits takes 20 bytes of memory
// traffic with one level, 28 with two, 32 where each digit is counted. Floats of 64 bits, which are uneven as a rule, are
// mapped to integers that are spread evenly, if a sample says that this can be done.
// Gains on an H200. Slots and one count, over the same levels by counted tiles, two counts and leaves
// dealt to bins, as speed over CUB's radix sort with u32: 1.81x vs 1.42x at 2^27, 1.79x vs 1.44x at 2^24.
// On an H100, f64 of [0, 1), Gkeys/s, spread, and without the map: 2^24 31.4 vs 27.2, 2^27 36.7 vs 34.2
// What was tried: docs/lab/gpu/radix/msd_hybrid.md.
// Limits: keys alone; the order of equal keys is not kept (and cannot be seen).
// Bytes per u32 key at 2^27: 28 (4 to count, 8 in each of 2 passes, 8 in the leaves).
// Source: Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, SIGMOD 2017.
#include <algorithm>

#include "gpu/radix/msd_hybrid/sort.cuh"
#include "gpu/radix/sorts.hpp"

namespace sortlab {
namespace gpu::radix::msd_hybrid {

std::size_t workspace_bytes(std::size_t key_bytes, std::size_t n) {
  const auto bytes = [n]<class Tuning>(Tuning) { return bytes_of<Tuning>(n); };
  const auto most = [&](auto bits) {
    return std::max(with_tuning(n, bits, false, bytes), with_tuning(n, bits, true, bytes));
  };
  return key_bytes == 4 ? most(Key32{}) : most(Key64{});
}

void sort(const Call& call) {
  call.visit([&]<class Bits, class Value>(Bits, Value) {
    const auto arrays = call.as<sweep::Arrays, Bits, NoValue>();
    const msd::Buffers<Bits> buffers{arrays.data.keys, arrays.alternate.keys, arrays.key_map,
                                     arrays.source.keys};
    sort_tuned(call.stream, call.d_workspace, buffers, call.n, call.are_floats());
  });
}

}  // namespace gpu::radix::msd_hybrid

namespace {

struct MsdHybrid {
  static constexpr Info info{
      .summary = "MSD partition by the top bits, buckets sorted in shared memory",
      .source = "Stehle and Jacobsen 2017",
      .after = "gpu/radix/ballot_1bit",
      .candidate = gpu::radix::msd_hybrid::kCandidate,
      .memory = Memory::device,
      .stable = false,
      .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return gpu::radix::msd_hybrid::workspace_bytes(request.key_bytes, request.n);
  }
  static ResultIn sort_erased(const ErasedJob& job) {
    gpu::radix::msd_hybrid::sort(gpu::radix::Call::of(job));
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MsdHybrid, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

// Bitonic sort that takes several steps of the network for each trip of a key through registers.
//
// Over v3: a thread holds 64 keys (of 4 bytes) whose indices differ in 6 bits and does the 6 steps
// over these bits in its registers, so 6 steps beyond a tile cost one pass over global memory; and
// a tile is 2^14 keys, whose lower 14 steps are one pass too, through shared memory, 5 steps a
// round. At 2^27 keys: 35 passes rather than 136 launches of one step and more, so 280 bytes of
// traffic a 32-bit key. All exchanges put the smaller key at the lower index (column.cuh), so that
// none looks at a direction, and for integer keys each is a minimum and a maximum.
//
//     steps of stage 27   26 ... 21 | 20 ... 15 | 14 . . . |  13 ...... 9 | 8 ... 5 | 4 ... 0
//                         fold        merge       merge       tile, in rounds of 5 bits
//     (a pass that is wider than what is left does some steps again: they change nothing)
//
// The comparison alone decides: Job::Less may be any order. In place, without a workspace.
// Source: register-blocked steps as in Peters, Schulz-Hildebrandt and Luttenberger, "Fast in-place,
// comparison-based sorting with CUDA", 2011; padded rows against bank conflicts are folklore.
#include <bit>

#include "gpu/bitonic/multi_step.cuh"
#include "gpu/bitonic/run_passes.cuh"

namespace sortlab {
namespace {

struct MultiStep {
  static constexpr Info info{.summary = "bitonic, 6 steps a pass in registers, 14 in shared memory",
                             .source = "Peters et al. 2011",
                             .after = "gpu/bitonic/v3_warp_register",
                             .memory = Memory::device,
                             .in_place = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    gpu::bitonic::run_passes<gpu::bitonic::ShapeFor<Key, Value>>(job);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MultiStep, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

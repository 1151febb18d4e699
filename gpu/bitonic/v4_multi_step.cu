// Bitonic sort that takes several steps of the network for each trip of a key through registers.
//
// Over v3: a thread holds 64 keys (of 4 bytes) whose indices differ in 6 bits and does the 6 steps
// over these bits in its registers, so 6 steps beyond a tile cost one pass over global memory; and
// a tile is 2^14 keys, whose lower 14 steps are one pass too, through shared memory, 5 steps a
// round. At 2^27 keys: 35 passes rather than 136 launches of one step and more, so 280 bytes of
// traffic a 32-bit key. All exchanges put the smaller key at the lower index (v4_multi_step/column.cuh), so that
// none looks at a direction, and for integer keys each is a minimum and a maximum.
//
//     steps of stage 27   26 ... 21 | 20 ... 15 | 14 . . . |  13 ...... 9 | 8 ... 5 | 4 ... 0
//                         fold        merge       merge       tile, in rounds of 5 bits
//     (a pass that is wider than what is left does some steps again: they change nothing)
//
// Keys become unsigned integers of the same order (gpu/primitives/key_map.hpp) in the first pass,
// and themselves again in the last: signs, floats and descending order cost nothing in between, and
// an exchange asks for nothing but which of two integers is less. In place, without a workspace.
// A sequence of up to 2^11 items is one block's, with columns of 8 items; up to a tile it is one
// launch. A tile that is not full is filled up with the largest key.
//
// On an H200, 2^27 keys, ms:          tile, column, wide: 2^ items of a tile, a thread of a tile
//                                      pass, a thread of a column pass
//     u32      14, 5, 6   10.51        chosen; 35 passes of 0.27 to 0.28 ms, the tiles' 1.25
//              15, 5, 6   10.88        4 passes fewer, but a block a SM: tile passes 0.36
//              13, 5, 6   11.30        14, 5, 5   11.21        14, 5, 4   12.24
//              14, 4, 6   12.76        tile passes in rounds of 4 steps: 0.43
//              13, 4, 6   11.99        13, 4, 5   12.72        12, 4, 6   12.22
//     u64      13, 4, 5   26.79        chosen; as many bytes a thread as for u32
//              14, 4, 5   27.85        13, 4, 6   27.97        13, 4, 4   29.35
//     u32+u32  13, 4, 5   25.03        13, 5, 5   27.94        14, 5, 6   31.84
//     f32      14, 5, 6   20.00        when each exchange compared floats, not integers
// Source: register-blocked steps as in Peters, Schulz-Hildebrandt and Luttenberger, "Fast in-place,
// comparison-based sorting with CUDA", 2011; padded rows against bank conflicts are folklore.
#include <bit>

#include "gpu/bitonic/v4_multi_step/kernels.cuh"
#include "gpu/bitonic/v4_multi_step/run_passes.cuh"

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
    using Shape = gpu::bitonic::v4_multi_step::ShapeFor<BitsOf<Key>, Value>;
    gpu::bitonic::v4_multi_step::run_passes<Shape>(gpu::as_bits(job.data), job.n,
                                                   gpu::key_map_of<Key, Job::kOrder>(), job.stream);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MultiStep, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

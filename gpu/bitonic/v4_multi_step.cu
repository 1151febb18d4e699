// Bitonic sort that does several steps of the network each time a key is in registers.
//
// Over v3: a thread holds 64 keys (of 4 bytes) whose indices differ in 6 bits, and does the 6 steps
// over these bits in its registers: 6 steps beyond a tile take one pass over global memory. A
// tile is 2^14 keys, and its lower 14 steps are also one pass, through shared memory, 5 steps per
// round. At 2^27 keys there are 35 passes rather than 136 launches of one step and more, so 280
// bytes of traffic per 32-bit key. All exchanges put the smaller key at the lower index
// (v4_multi_step/kernels.cuh), so they need no direction, and for integer keys each is a minimum and
// a maximum.
//
//     steps of stage 27   26 ... 21 | 20 ... 15 | 14 . . . |  13 ...... 9 | 8 ... 5 | 4 ... 0
//                         fold        merge       merge       tile, in rounds of 5 bits
//     (a pass wider than the remaining bits repeats some steps, which changes nothing)
//
// The first pass turns keys into unsigned integers of the same order (gpu/primitives/key_map.hpp),
// and the last pass turns them back. So signs, floats and descending order cost nothing in between,
// and an exchange only compares two integers. In place, without a workspace. One block sorts a
// sequence of up to 2^11 items, with columns of 8 items; a sequence of up to a tile is one launch.
// A tile that is not full is filled up with the largest key.
//
// Gain, on an H200 at 2^27: u32 keys 10.51 ms, u64 26.79, u32 pairs 25.03 (tiles of 2^14, 2^13 and
// 2^13 items); f32 compared as integers 10.49, as floats 20.00
// (h200/attempts/bitonic_v4_and_quick_sample.1.txt.xz, .2). Experiments:
// docs/lab/gpu/bitonic/v4_multi_step.md.
//
// Gain over v3: 6.07x (2^27 u32 keys, H200; results/h200/comparison.summary.csv).
// Bytes per u32 key at 2^27: 280 (8 in each of 35 passes).
// Source: register-blocked steps as in Peters, Schulz-Hildebrandt and Luttenberger, "Fast in-place,
// comparison-based sorting with CUDA", 2011; padded rows against bank conflicts are common
// knowledge.
#include <algorithm>
#include <bit>

#include "gpu/bitonic/v4_multi_step/kernels.cuh"
#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu::bitonic::v4_multi_step {

/// Columns of 128 bytes of items in the tile kernels and of 256 in the column kernels, tiles of
/// 64 KB.
template <class Key, class Value>
struct ChooseShape {
  static constexpr std::size_t kBytes = bytes_of_items<Key, Value>(1);
  static constexpr unsigned kLess = std::bit_width(kBytes - 1) - 2;  // 0, 1, 2 for 4, 8, 12 bytes
  using Type = Shape<14 - kLess, 5 - kLess, 6 - kLess>;
};
template <class Key, class Value>
using ShapeFor = typename ChooseShape<Key, Value>::Type;

/// For sequences so short that the latency of one block decides: columns of 8 items, so that there
/// are more warps than in the tiles of long sequences.
using ShortShape = Shape<11, 3, 3>;

/// Kind::sort_tiles. A sequence shorter than a tile gets only as many threads as it needs.
template <class Shape, class Key, class Value>
void launch_sort_tiles(Items<Key, Value> data, std::size_t n, KeyMap<Key> map_in,
                       KeyMap<Key> map_out, cudaStream_t stream) {
  const auto needed = std::max<std::size_t>(kWarp, std::bit_ceil(n) / Shape::kColumnItems);
  launch("sort_tiles", sort_tiles<Shape, Key, Value>,
         {ceil_div(n, Shape::kTileItems),
          static_cast<unsigned>(std::min<std::size_t>(needed, Shape::kTileThreads)),
          bytes_of_tile<Shape, Key, Value>()},
         stream, data, n, map_in, map_out);
}

/// `map_in` is for the first pass, `map_out` for the last; between them the keys are ordered bits.
template <class Shape, class Key, class Value>
void launch_pass(Pass pass, Items<Key, Value> data, std::size_t n, KeyMap<Key> map_in,
                 KeyMap<Key> map_out, cudaStream_t stream) {
  const std::size_t stride = std::size_t{1} << pass.low_bit;
  const std::size_t column_count = ceil_div(n, stride << Shape::kWideBits) * stride;
  const Grid columns{ceil_div(column_count, kColumnThreads), kColumnThreads};
  const Strides strides{stride, stride};

  switch (pass.kind) {
    case Kind::sort_tiles:
      launch_sort_tiles<Shape>(data, n, map_in, map_out, stream);
      break;
    case Kind::fold_columns:
      launch("fold_columns", do_columns<Steps::fold, Shape, Key, Value>, columns, stream, data, n,
             pass.stage, pass.low_bit, strides);
      break;
    case Kind::merge_columns:
      launch("merge_columns", do_columns<Steps::merge, Shape, Key, Value>, columns, stream, data, n,
             pass.stage, pass.low_bit, strides);
      break;
    case Kind::merge_tiles:
      launch(
          "merge_tiles", merge_tiles<Shape, Key, Value>,
          {ceil_div(n, Shape::kTileItems), Shape::kTileThreads, bytes_of_tile<Shape, Key, Value>()},
          stream, data, n, pass.stage, map_out);
      break;
  }
}

/// Sorts at most a tile.
template <class Shape, class Key, class Value>
void sort_one_tile(Items<Key, Value> data, std::size_t n, KeyMap<Key> map, cudaStream_t stream) {
  if (n < 2) return;
  if (n <= ShortShape::kTileItems) {
    launch_sort_tiles<ShortShape>(data, n, map, map, stream);
  } else {
    launch_sort_tiles<Shape>(data, n, map, map, stream);
  }
}

/// Sorts by the integers that `map` turns the keys into.
template <class Shape, class Key, class Value>
void run_passes(Items<Key, Value> data, std::size_t n, KeyMap<Key> map, cudaStream_t stream) {
  if (n <= ShortShape::kTileItems) {
    sort_one_tile<Shape>(data, n, map, stream);
    return;
  }
  const auto passes = passes_over(n, {Shape::kTileBits, Shape::kWideBits});
  for (const Pass& pass : passes) {
    const bool is_last = &pass == &passes.back();
    launch_pass<Shape>(pass, data, n, map, is_last ? map : KeyMap<Key>{}, stream);
  }
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step

namespace sortlab {
namespace {

struct MultiStep {
  static constexpr Info info{
      .summary = "bitonic, 6 steps per pass in registers, 14 in shared memory",
      .source = "Peters et al. 2011",
      .after = "gpu/bitonic/v3_warp_register",
      .candidate = Candidate{.rank = 4, .block_kib = 68},
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

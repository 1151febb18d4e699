// Bitonic sort whose blocks hold their part of the array in shared memory while they work on it.
//
// Over v1: the same kernels and launches (190 at 2^28 with 1024 items per block), but a fused
// kernel reads and writes global memory once rather than once per step: with 1024 items, 55 steps
// for the first stages and 10 for each later stage cost 8 bytes of traffic per 32-bit key together.
// A block holds `threads` items with scheme 0 and twice as many with scheme 1.
// Against the sources: the last block may be short and all its threads take part in every barrier;
// any n, in place, without padding; a block loads its own part, and takes the direction from its place in
// the whole array (Daskalopoulos' algorithms 7 and 8 print neither); no wait of the host after a
// launch (wait=1 waits).
// Gain over v1: 1.11x (2^27 u32 keys, H200; results/h200/ladder.summary.csv).
// Bytes per u32 key at 2^27: 1368 (8 in each of 171 launches).
// Source (docs/papers.md): Daskalopoulos 2025, section 2.5; Fraidakis 2025, section 4
// (intraBlockSortShared, intraBlockMergeShared).
#include "gpu/bitonic/steps.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"

namespace sortlab {
namespace {

using gpu::Scheme;

/// A step within the tile s_tile of `count` items. The caller has set the direction.
template <Scheme kScheme, class Less, class Key, class Value, class IsUpwards>
__device__ void step_in_tile(Items<Key, Value> s_tile, unsigned count, unsigned j,
                             IsUpwards is_upwards) {
  const auto pair = gpu::pair_of<kScheme, unsigned>(threadIdx.x, j);
  if (pair.is_within(count)) gpu::exchange<Less>(s_tile, pair.low, pair.high, is_upwards(pair.low));
  __syncthreads();
}

/// Loads the block's tile into shared memory, calls steps(s_tile, count, first index), stores it.
template <class Key, class Value, class Steps>
__device__ void in_shared_tile(Items<Key, Value> data, std::size_t n, unsigned tile, Steps steps) {
  const std::size_t first = std::size_t{blockIdx.x} * tile;
  const unsigned count = gpu::count_in_tile(n, first, tile);
  const auto s_tile = gpu::items_at<Key, Value>(gpu::dynamic_shared(), tile);
  gpu::copy_items(data.from(first), s_tile, count);
  __syncthreads();
  steps(s_tile, count, first);
  gpu::copy_items(s_tile, data.from(first), count);
}

/// Does all stages up to the tile's own size.
template <Scheme kScheme, class Less, class Key, class Value>
__global__ void first_stages(Items<Key, Value> data, std::size_t n, unsigned tile) {
  in_shared_tile(data, n, tile, [=](auto s_tile, unsigned count, std::size_t first) {
    for (unsigned k = 2; k <= tile; k *= 2) {
      const auto is_upwards = [=](unsigned i) {
        return gpu::is_upwards<std::size_t>(first + i, n - 1, k);
      };
      for (unsigned j = k / 2; j > 0; j /= 2) {
        step_in_tile<kScheme, Less>(s_tile, count, j, is_upwards);
      }
    }
  });
}

/// Does those steps of the stage k, which is larger than a tile, that stay within tiles.
template <Scheme kScheme, class Less, class Key, class Value>
__global__ void lower_steps(Items<Key, Value> data, std::size_t n, std::size_t k, unsigned tile) {
  in_shared_tile(data, n, tile, [=](auto s_tile, unsigned count, std::size_t first) {
    const bool upwards = gpu::is_upwards(first, n - 1, k);  // one direction for the whole tile
    for (unsigned j = tile / 2; j > 0; j /= 2) {
      step_in_tile<kScheme, Less>(s_tile, count, j, [=](unsigned) { return upwards; });
    }
  });
}

struct Shared {
  static constexpr ParamSpec kParams[] = {gpu::bitonic::kThreads, gpu::bitonic::kScheme,
                                          gpu::bitonic::kWait};
  static constexpr Info info{.summary = "bitonic, steps within a block fused, in shared memory",
                             .source = "Daskalopoulos 2025, V2; Fraidakis 2025, V2",
                             .after = "gpu/bitonic/v1_fused",
                             .memory = Memory::device,
                             .in_place = true,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::bitonic::with_scheme(job.params, [&]<Scheme kScheme>() { sort_with<kScheme>(job); });
    return ResultIn::data;
  }

 private:
  template <Scheme kScheme, class Job>
  static void sort_with(const Job& job) {
    using Less = typename Job::Less;
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    const unsigned threads = gpu::power_of_two(job.params, "threads");
    const unsigned tile = threads * gpu::items_a_thread(kScheme);
    const gpu::Grid grid{ceil_div(job.n, tile), threads, gpu::bytes_of_items<Key, Value>(tile)};

    gpu::launch("first_stages", first_stages<kScheme, Less, Key, Value>, grid, job.stream, job.data,
                job.n, tile);
    gpu::bitonic::wait_if_asked(job);
    gpu::bitonic::merge_beyond_tiles<kScheme>(
        job, threads, tile,
        [&](std::size_t k) {
          gpu::launch("lower_steps", lower_steps<kScheme, Less, Key, Value>, grid, job.stream,
                      job.data, job.n, k, tile);
        },
        [&] { gpu::bitonic::wait_if_asked(job); });
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Shared>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

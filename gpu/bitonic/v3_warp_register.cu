// Bitonic sort whose warps exchange in registers: a thread holds two items, and all distances up to
// a warp's 64 items need neither shared memory nor a barrier.
//
// Over v2: n/2 threads, none of them idle, and blocks of twice as many items for the same threads
// (136 launches of compare_swap at 2^27 rather than 153). Of the 11 steps of a tile's merge 6 stay
// in registers. So there are 5 round trips through shared memory, with their barriers, rather than
// 11.
//
//   items of a warp   0 ... 31 | 32 ... 63      lane l holds item l (a) and item 32 + l (b)
//   j = 32            a of each lane with its own b, no communication
//   j = 16 ... 1      a with a and b with b of lane ^ j, by shuffle
//   j >= 64           through shared memory
//
// The source also pins its host memory, which is the harness's choice here (--host-mem pinned).
// Against the source: any n, in place, without padding; a lane beyond n takes part in each shuffle.
// Gain over v2: 1.34x (2^27 u32 keys, H200; results/h200/ladder.summary.csv).
// Bytes per u32 key at 2^27: 1224 (8 in each of 153 launches).
// Source: Fraidakis 2025, section 5 (docs/papers.md).
#include "gpu/bitonic/steps.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab {
namespace {

constexpr unsigned kWarpItems = 2 * gpu::kWarp;

/// The two items of a thread: those at place and place + 32 of the tile.
template <class Key, class Value>
struct Registers {
  Item<Key, Value> a;
  Item<Key, Value> b;
};

/// The thread's first place in its tile.
__device__ unsigned place_in_tile() { return gpu::warp_id() * kWarpItems + gpu::lane_id(); }

template <class Key, class Value>
__device__ Registers<Key, Value> load(Items<Key, Value> tile, unsigned count) {
  const unsigned place = place_in_tile();
  Registers<Key, Value> r{};
  if (place < count) r.a = tile[place];
  if (place + gpu::kWarp < count) r.b = tile[place + gpu::kWarp];
  return r;
}

template <class Key, class Value>
__device__ void store(Registers<Key, Value> r, Items<Key, Value> tile, unsigned count) {
  const unsigned place = place_in_tile();
  if (place < count) tile.put(place, r.a);
  if (place + gpu::kWarp < count) tile.put(place + gpu::kWarp, r.b);
}

/// The difference between a whole tile and the last, short one: the short one has pairs to leave
/// out.
struct WholeTile {
  __device__ bool holds(unsigned) const { return true; }
};
struct ShortTile {
  unsigned count;
  __device__ bool holds(unsigned place) const { return place < count; }
};

/// Does the step over the distance 32.
template <class Less, class Bound, class Key, class Value>
__device__ void exchange_within_thread(Registers<Key, Value>& r, bool upwards, Bound bound) {
  const bool swaps = upwards ? Less{}(r.b.key, r.a.key) : Less{}(r.a.key, r.b.key);
  if (swaps && bound.holds(place_in_tile() + gpu::kWarp)) {
    const auto a = r.a;
    r.a = r.b;
    r.b = a;
  }
}

/// The steps j = first_j, ..., 1 of a stage, first_j < 64. `upwards(place)` is the direction.
template <class Less, class Bound, class Key, class Value, class IsUpwards>
__device__ void steps_in_warp(Registers<Key, Value>& r, unsigned first_j, IsUpwards upwards,
                              Bound bound) {
  const unsigned place = place_in_tile();
  const bool a_upwards = upwards(place);
  const bool b_upwards = upwards(place + gpu::kWarp);
  if (first_j == gpu::kWarp) exchange_within_thread<Less>(r, a_upwards, bound);
#pragma unroll
  for (unsigned j = gpu::kWarp / 2; j > 0; j /= 2) {
    if (j > first_j) continue;
    const unsigned b_place = place + gpu::kWarp;
    gpu::exchange_with_lane<Less>(r.a, place, j, a_upwards, bound.holds(place | j));
    gpu::exchange_with_lane<Less>(r.b, b_place, j, b_upwards, bound.holds(b_place | j));
  }
}

/// The steps j = first_j, ..., 64 of a stage in shared memory, between loading and storing
/// registers.
template <class Less, class Key, class Value, class IsUpwards>
__device__ void steps_in_shared(Items<Key, Value> s_tile, unsigned count, unsigned first_j,
                                IsUpwards upwards) {
  for (unsigned j = first_j; j >= kWarpItems; j /= 2) {
    __syncthreads();
    const auto pair = gpu::pair_of<gpu::Scheme::shifted, unsigned>(threadIdx.x, j);
    if (pair.is_within(count)) {
      gpu::exchange<Less>(s_tile, pair.low, pair.high, upwards(pair.low));
    }
  }
  __syncthreads();
}

/// Does all stages up to the tile's own size.
template <class Less, class Bound, class Key, class Value>
__device__ void sort_tile(Items<Key, Value> tile, Items<Key, Value> s_tile, unsigned count,
                          std::size_t first, std::size_t last, Bound bound) {
  const auto upwards_in = [=](unsigned k) {
    return [=](unsigned place) { return gpu::is_upwards<std::size_t>(first + place, last, k); };
  };
  const unsigned tile_items = 2 * blockDim.x;
  auto r = load(tile, count);
#pragma unroll
  for (unsigned k = 2; k <= kWarpItems; k *= 2) steps_in_warp<Less>(r, k / 2, upwards_in(k), bound);
  for (unsigned k = 2 * kWarpItems; k <= tile_items; k *= 2) {
    store(r, s_tile, count);
    steps_in_shared<Less>(s_tile, count, k / 2, upwards_in(k));
    r = load(s_tile, count);
    steps_in_warp<Less>(r, gpu::kWarp, upwards_in(k), bound);
  }
  store(r, tile, count);
}

/// Does those steps of the stage k, which is larger than a tile, that stay within the tile.
template <class Less, class Bound, class Key, class Value>
__device__ void merge_tile(Items<Key, Value> tile, Items<Key, Value> s_tile, unsigned count,
                           bool upwards, Bound bound) {
  const auto in_one_direction = [=](unsigned) { return upwards; };
  gpu::copy_items(tile, s_tile, count);
  steps_in_shared<Less>(s_tile, count, blockDim.x, in_one_direction);
  auto r = load(s_tile, count);
  steps_in_warp<Less>(r, gpu::kWarp, in_one_direction, bound);
  store(r, tile, count);
}

template <class Less, class Key, class Value>
__global__ void __launch_bounds__(1024) sort_tiles(Items<Key, Value> data, std::size_t n) {
  const unsigned tile = 2 * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * tile;
  const unsigned count = gpu::count_in_tile(n, first, tile);
  const auto s_tile = gpu::items_at<Key, Value>(gpu::dynamic_shared(), tile);
  if (count == tile) {
    sort_tile<Less>(data.from(first), s_tile, count, first, n - 1, WholeTile{});
  } else {
    sort_tile<Less>(data.from(first), s_tile, count, first, n - 1, ShortTile{count});
  }
}

template <class Less, class Key, class Value>
__global__ void __launch_bounds__(1024)
    merge_tiles(Items<Key, Value> data, std::size_t n, std::size_t k) {
  const unsigned tile = 2 * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * tile;
  const unsigned count = gpu::count_in_tile(n, first, tile);
  const auto s_tile = gpu::items_at<Key, Value>(gpu::dynamic_shared(), tile);
  const bool upwards = gpu::is_upwards(first, n - 1, k);
  if (count == tile) {
    merge_tile<Less>(data.from(first), s_tile, count, upwards, WholeTile{});
  } else {
    merge_tile<Less>(data.from(first), s_tile, count, upwards, ShortTile{count});
  }
}

struct WarpRegister {
  static constexpr ParamSpec kParams[] = {gpu::bitonic::kThreads};
  static constexpr Info info{.summary = "bitonic, exchanges within a warp in registers by shuffles",
                             .source = "Fraidakis 2025, V3",
                             .after = "gpu/bitonic/v2_shared",
                             .memory = Memory::device,
                             .in_place = true,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Less = typename Job::Less;
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    const unsigned threads = gpu::power_of_two(job.params, "threads");
    const unsigned tile = 2 * threads;
    const gpu::Grid grid{ceil_div(job.n, tile), threads, gpu::bytes_of_items<Key, Value>(tile)};

    gpu::launch("sort_tiles", sort_tiles<Less, Key, Value>, grid, job.stream, job.data, job.n);
    gpu::bitonic::merge_beyond_tiles<gpu::Scheme::shifted>(
        job, threads, tile,
        [&](std::size_t k) {
          gpu::launch("merge_tiles", merge_tiles<Less, Key, Value>, grid, job.stream, job.data,
                      job.n, k);
        },
        [] {});
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<WarpRegister>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// A stable merge sort by a comparison alone: tiles sorted in shared memory, then four runs merged
// into one in each pass over the memory. For keys and values of any types that may be copied
// byte by byte: `sort` at the end is all that a user needs.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/merge/multiway_cut.cuh"
#include "gpu/merge/multiway_tile.cuh"
#include "gpu/primitives/launch.cuh"
#include "gpu/primitives/tile.cuh"
#include "gpu/primitives/workspace.cuh"

namespace sortlab::gpu::multiway {

/// What becomes of keys that compare equal.
enum class Ties : std::uint8_t {
  keep_order,  // they keep the order that they came in: the sort is stable
  any_order,   // nobody can tell them apart, so that nothing has to be done for it
};

/// Items a thread, threads a block, blocks an SM.
template <unsigned kItemsT, unsigned kThreadsT, unsigned kBlocksT>
struct Shape {
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kBlocks = kBlocksT;
};

/// The types of one sort with one shape.
template <class LessT, Ties kTies, class KeyT, class ValueT, class ShapeT>
struct Plan : ShapeT {
  using Less = LessT;
  using Key = KeyT;
  using Value = ValueT;
  using Data = Items<Key, Value>;
  static constexpr bool kPlaced = kTies == Ties::keep_order || Data::kPairs;
  using Tile = multiway::Tile<Key, ShapeT::kItems, ShapeT::kThreads, kPlaced>;
  using Chunk = multiway::Chunk<Key, ShapeT::kItems, kPlaced>;
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);
  // The values of a tile take the room of its keys once these are on their way.
  static constexpr std::size_t kFirstBytes =
      std::max(Tile::kKeyBytes, (Tile::kCount * kValueBytes<Value> + 15) / 16 * 16);
  static constexpr std::size_t kSharedBytes = kFirstBytes + Tile::kPlaceBytes;
  static_assert(kSharedBytes <= 226 * 1024, "a key is too large for a tile in shared memory");
  // Two pairs of runs share the first level of a merge; a chunk at the end of the first pair may be
  // short, so that a tile that used all chunks could need one more.
  static constexpr unsigned kMergedCount = Tile::kCount - Tile::kItems;

  __device__ static Tile tile() {
    std::byte* const shared = dynamic_shared();
    return {reinterpret_cast<Key*>(shared), reinterpret_cast<std::uint16_t*>(shared + kFirstBytes)};
  }
};

/// Starts to copy an item to shared memory, past the registers, where the hardware can: all of a
/// tile is then on its way at once, however few registers there are.
template <class T>
__device__ __forceinline__ void start_copy(T& shared, const T& global) {
  constexpr bool kBySize = sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16;
  if constexpr (kBySize && alignof(T) == sizeof(T)) {
    __pipeline_memcpy_async(&shared, &global, sizeof(T));
  } else {
    shared = global;
  }
}
/// Waits for the copies that this thread has started.
__device__ __forceinline__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// The co-rank of the next thread, whatever pair of runs it has; a barrier.
template <class P>
__device__ __forceinline__ unsigned from_next_thread(unsigned mine) {
  __shared__ unsigned s_of_warp[P::kThreads / kWarp + 1];
  if (lane_id() == 0) s_of_warp[warp_id()] = mine;
  const unsigned next = __shfl_down_sync(kAllLanes, mine, 1);
  __syncthreads();
  return lane_id() == kWarp - 1 ? s_of_warp[warp_id() + 1] : next;
}

/// Merges chunk number `number` of a pair of runs into registers; says how many items it holds.
/// neighbour(x) is the value that the thread of the following chunk calls it with.
template <class P, class Neighbour>
__device__ __forceinline__ unsigned merge_chunk(typename P::Tile tile, Runs runs, unsigned number,
                                                typename P::Chunk& chunk, Neighbour neighbour) {
  const unsigned total = runs.count();
  const unsigned diagonal = min(number * P::kItems, total);
  const unsigned mine = outputs_from_left<typename P::Less>(tile, runs, diagonal);
  const unsigned next = neighbour(mine);
  const bool is_last = diagonal + P::kItems >= total;
  const Share share{runs.low + mine, runs.high - (diagonal - mine),
                    (is_last ? runs.left : next) - mine, is_last ? total - diagonal : P::kItems};
  if (share.steps > 0) {
    load_share<typename P::Less>(tile, share, chunk);
    merge_bitonic<typename P::Less>(chunk);
  }
  return share.steps;
}

/// Sorts the `count` items of the tile, of which each thread's slot holds an unsorted chunk.
template <class P>
__device__ __forceinline__ void sort_tile(typename P::Tile tile, unsigned count,
                                          typename P::Chunk& chunk) {
  constexpr unsigned kItems = P::kItems;
  const unsigned thread = threadIdx.x;
  sort_chunk<typename P::Less>(chunk);
  __syncthreads();
  store_chunk(tile, thread, thread % 2 == 0, chunk);
  // Pairs of runs that a group of lanes merges, then groups of warps: `slots` chunks in all.
  for (unsigned slots = 2; slots / 2 * kItems < count; slots *= 2) {
    const unsigned number = thread % slots;
    const unsigned first_slot = thread - number;
    const unsigned low = first_slot * kItems;
    const unsigned width = slots / 2 * kItems;
    const auto within = [=](unsigned begin) {
      return begin < count ? min(count - begin, width) : 0;
    };
    const Runs runs{low, low + 2 * width, within(low), within(low + width)};
    const bool in_warp = slots <= kWarp;
    in_warp ? __syncwarp() : __syncthreads();
    const unsigned steps = merge_chunk<P>(tile, runs, number, chunk, [=](unsigned mine) {
      return in_warp ? __shfl_down_sync(kAllLanes, mine, 1) : from_next_thread<P>(mine);
    });
    in_warp ? __syncwarp() : __syncthreads();
    const bool upwards = first_slot / slots % 2 == 0;
    if (steps > 0) {
      store_chunk(tile, upwards ? thread : first_slot + slots - 1 - number, upwards, chunk);
    }
  }
  __syncthreads();
}

/// Stores the sorted tile to `to`; value_source(i) is the input's value at place i.
template <class P, class LoadValues>
__device__ __forceinline__ void store_tile(typename P::Tile tile, unsigned count,
                                           typename P::Data to, LoadValues load_values) {
  const auto* const own_keys = &tile.key_at(threadIdx.x);
#pragma unroll
  for (unsigned r = 0; r < P::kItems; ++r) {
    const unsigned i = r * P::kThreads + threadIdx.x;
    if (i < count) to.keys[i] = own_keys[r * P::Tile::kKeysToNextRow];
  }
  if constexpr (P::Data::kPairs) {
    auto* const s_values = reinterpret_cast<typename P::Value*>(dynamic_shared());
    __syncthreads();
    load_values(s_values);
    wait_for_copies();
    __syncthreads();
    const auto* const own_places = &tile.place_at(threadIdx.x);
#pragma unroll
    for (unsigned r = 0; r < P::kItems; ++r) {
      const unsigned i = r * P::kThreads + threadIdx.x;
      if (i < count) to.values[i] = s_values[own_places[r * P::Tile::kPlacesToNextRow]];
    }
  }
}

/// Sorts each tile of `data`, in place. A tile whose input is in order is left alone; any other,
/// or a step down from a tile to the next, raises `unsorted`.
template <class P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    sort_tiles(typename P::Data data, std::size_t n, unsigned* unsorted) {
  using Less = typename P::Less;
  constexpr unsigned kItems = P::kItems;
  const std::size_t begin = std::size_t{blockIdx.x} * P::Tile::kCount;
  const unsigned count = count_in_tile(n, begin, P::Tile::kCount);
  const auto from = data.from(begin);
  const auto tile = P::tile();
  const unsigned first = threadIdx.x * kItems;

  auto* const own_keys = &tile.key_at(threadIdx.x);
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned i = r * P::kThreads + threadIdx.x;
    if (i < count) start_copy(own_keys[r * P::Tile::kKeysToNextRow], from.keys[i]);
  }
  wait_for_copies();
  __syncthreads();
  typename P::Chunk chunk;
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    chunk.keys[r] = tile.key_at(first + r);
    if constexpr (P::kPlaced) chunk.places[r] = first + r;
  }
  bool in_order = true;
#pragma unroll
  for (unsigned r = 0; r + 1 < kItems; ++r) {
    in_order &= first + r + 1 >= count || !Less{}(chunk.keys[r + 1], chunk.keys[r]);
  }
  if (first + kItems < count) {
    in_order &= !Less{}(tile.key_at(first + kItems), chunk.keys[kItems - 1]);
  }
  const bool steps_down = threadIdx.x == P::kThreads - 1 && begin + count < n &&
                          Less{}(from.keys[count], chunk.keys[kItems - 1]);
  const bool is_sorted = __syncthreads_and(in_order);
  if ((threadIdx.x == 0 && !is_sorted) || steps_down) *unsorted = 1;
  if (is_sorted) return;

  if (first < count && first + kItems > count) {
    // A short chunk is filled up with copies of its largest item, which end behind it.
#pragma unroll
    for (unsigned r = 1; r < kItems; ++r) {
      // Item 0 becomes the largest so far; what it was goes to where that came from.
      if (first + r < count) put_in_order<Less>(chunk, r, 0);
    }
#pragma unroll
    for (unsigned r = 1; r < kItems; ++r) {
      if (first + r >= count) {
        chunk.keys[r] = chunk.keys[0];
        if constexpr (P::kPlaced) chunk.places[r] = chunk.places[0];
      }
    }
  }
  sort_tile<P>(tile, count, chunk);
  store_tile<P>(tile, count, from, [=](auto* s_values) {
    if constexpr (P::Data::kPairs) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
        start_copy(s_values[i], from.values[i]);
      }
    }
  });
}

/// A merge pass: runs of `width` items, the blocks that share a group of four of them.
struct Pass {
  std::size_t n;
  std::size_t width;
  std::size_t blocks_a_group;

  Pass(std::size_t n_, std::size_t width_, unsigned tile)
      : n(n_), width(width_), blocks_a_group(ceil_div(std::min(n, kWays * width), tile)) {}

  std::size_t blocks(unsigned tile) const {
    const std::size_t whole = n / (kWays * width);
    return whole * blocks_a_group + ceil_div(n - whole * kWays * width, tile);
  }
  __device__ RunGroup group(std::size_t block) const {
    const std::size_t begin = block / blocks_a_group * kWays * width;
    return {begin, width, n - begin < kWays * width ? n - begin : kWays * width};
  }
  /// The first output of the block, counted within its group.
  __device__ std::size_t first(std::size_t block, unsigned tile) const {
    return block % blocks_a_group * tile;
  }
};

/// How many outputs before a block's first come from each of the four runs.
struct Cut {
  std::size_t from_run[kWays];
};

/// Finds the cut of each block of the following merge, a warp for each.
template <class P>
__global__ void __launch_bounds__(256)
    find_cuts(const typename P::Key* keys, Pass pass, std::size_t blocks, Cut* cuts,
              const unsigned* unsorted) {
  const std::size_t block = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
  if (block >= blocks || *unsorted == 0) return;
  const std::size_t cut =
      cut_of_run<typename P::Less>(keys, pass.group(block), pass.first(block, P::kMergedCount));
  if (lane_id() % kLanesARun == 0) cuts[block].from_run[lane_id() / kLanesARun] = cut;
}

/// Copies a run into the tile, upwards from `position` on or downwards from position - 1 on. Its
/// first item has the place `place`.
template <class P>
__device__ __forceinline__ void load_run(typename P::Tile tile, const typename P::Key* from,
                                         unsigned count, unsigned position, bool upwards,
                                         unsigned place) {
  const unsigned first = upwards ? position + threadIdx.x : position - 1 - threadIdx.x;
  const int step = upwards ? 1 : -1;
  const auto* from_key = from + threadIdx.x;
  auto* to_key = &tile.key_at(first);
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
    start_copy(*to_key, *from_key);
    from_key += P::kThreads;
    to_key += step * P::Tile::kKeysToNextRow;
  }
  if constexpr (P::kPlaced) {
    auto* to_place = &tile.place_at(first);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
      *to_place = place + i;
      to_place += step * P::Tile::kPlacesToNextRow;
    }
  }
}

/// Whose work it is to find the cuts.
enum class Cuts : std::uint8_t { own_kernel, by_the_block };

/// Merges the runs of each group of four. When all is in order already it only copies, and only if
/// it has to.
template <class P, Cuts kCuts>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    merge_runs(typename P::Data from, typename P::Data to, Pass pass, const Cut* cuts,
               const unsigned* unsorted, bool copies_sorted) {
  __shared__ std::size_t s_cut[2][kWays];
  constexpr unsigned kTile = P::kMergedCount;
  const RunGroup group = pass.group(blockIdx.x);
  const std::size_t begin = pass.first(blockIdx.x, kTile);
  const unsigned count = count_in_tile(group.count, begin, kTile);
  const auto out = to.from(group.begin + begin);
  const bool is_sorted = *unsorted == 0;
  if constexpr (kCuts == Cuts::own_kernel) {
    // These loads and that of the flag wait for each other's answers no longer than for one.
    if (threadIdx.x < 2 * kWays) {
      const unsigned side = threadIdx.x / kWays;
      const unsigned run = threadIdx.x % kWays;
      s_cut[side][run] = side == 1 && begin + count == group.count
                             ? group.run_count(run)
                             : cuts[blockIdx.x + side].from_run[run];
    }
  }
  if (is_sorted) {
    if (copies_sorted) copy_items(from.from(group.begin + begin), out, count);
    return;
  }
  if constexpr (kCuts == Cuts::by_the_block) {
    if (warp_id() < 2) {
      const std::size_t cut =
          cut_of_run<typename P::Less>(from.keys, group, warp_id() == 0 ? begin : begin + count);
      if (lane_id() % kLanesARun == 0) s_cut[warp_id()][lane_id() / kLanesARun] = cut;
    }
  }
  __syncthreads();
  std::size_t run_first[kWays];
  unsigned run_count[kWays];
#pragma unroll
  for (unsigned run = 0; run < kWays; ++run) {
    run_first[run] = group.run_begin(run) + s_cut[0][run];
    run_count[run] = static_cast<unsigned>(s_cut[1][run] - s_cut[0][run]);
  }

#pragma unroll
  for (unsigned run = 0; run < kWays; ++run) {
    if (run_count[run] == count) {
      copy_items(from.from(run_first[run]), out, count);
      return;
    }
  }

  const auto tile = P::tile();
  const unsigned left = run_count[0] + run_count[1];
  const unsigned left_slots = (left + P::kItems - 1) / P::kItems;
  // The first pair ends at a multiple of 32 slots, so that a lane's slots keep to the pattern of
  // which the banks differ; only a warp that works on both pairs has bank conflicts.
  const unsigned border = (left_slots + kWarp - 1) / kWarp * kWarp * P::kItems;
  const unsigned end = border + (P::kThreads - left_slots) * P::kItems;
  unsigned place = 0;
  const auto load = [&](unsigned run, unsigned position, bool upwards) {
    load_run<P>(tile, from.keys + run_first[run], run_count[run], position, upwards, place);
    place += run_count[run];
  };
  load(0, 0, true);
  load(1, border, false);
  load(2, border, true);
  load(3, end, false);
  wait_for_copies();
  __syncthreads();

  typename P::Chunk chunk;
  const bool in_left = threadIdx.x < left_slots;
  const unsigned number = in_left ? threadIdx.x : threadIdx.x - left_slots;
  const Runs pair = in_left ? Runs{0, border, run_count[0], run_count[1]}
                            : Runs{border, end, run_count[2], run_count[3]};
  unsigned steps = merge_chunk<P>(tile, pair, number, chunk,
                                  [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, in_left ? number : P::kThreads - 1 - number, in_left, chunk);
  __syncthreads();

  const Runs both{0, P::Tile::kCount, left, count - left};
  steps = merge_chunk<P>(tile, both, threadIdx.x, chunk,
                         [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, threadIdx.x, true, chunk);
  __syncthreads();
  store_tile<P>(tile, count, out, [&](auto* s_values) {
    if constexpr (P::Data::kPairs) {
      unsigned to_place = 0;
#pragma unroll
      for (unsigned run = 0; run < kWays; ++run) {
        const auto* const values = from.values + run_first[run];
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < run_count[run]; i += P::kThreads) {
          start_copy(s_values[to_place + i], values[i]);
        }
        to_place += run_count[run];
      }
    }
  });
}

/// The workspace: a flag, and a cut for each block of a merge.
struct Workspace {
  unsigned* unsorted;
  Cut* cuts;
  std::size_t bytes;

  template <class P>
  static Workspace of(std::size_t n, std::byte* base) {
    // A group's last block may have little to do, and the smallest group has four tiles.
    const std::size_t most_blocks = n / P::kMergedCount + n / (kWays * P::Tile::kCount) + 2;
    Layout layout(base);
    auto* const unsorted = layout.take<unsigned>(1);
    auto* const cuts = layout.take<Cut>(most_blocks);
    return {unsorted, cuts, layout.bytes()};
  }
};

/// The sort in one shape. The result is in `data` after an even number of passes.
template <class P, Cuts kCuts>
ResultIn sort_in_shape(typename P::Data data, typename P::Data alternate, std::size_t n,
                       std::byte* workspace, cudaStream_t stream) {
  const auto space = Workspace::of<P>(n, workspace);
  const std::size_t tiles = ceil_div(n, P::Tile::kCount);
  check(cudaMemsetAsync(space.unsorted, 0, sizeof(unsigned), stream), "cudaMemsetAsync");
  launch("sort_tiles", sort_tiles<P>, {tiles, P::kThreads, P::kSharedBytes}, stream, data, n,
         space.unsorted);
  std::size_t passes = 0;
  for (std::size_t runs = tiles; runs > 1; runs = ceil_div(runs, kWays)) ++passes;
  std::size_t width = P::Tile::kCount;
  for (std::size_t number = 0; number < passes; ++number, width *= kWays) {
    const auto from = number % 2 == 0 ? data : alternate;
    const auto to = number % 2 == 0 ? alternate : data;
    const Pass pass(n, width, P::kMergedCount);
    const std::size_t blocks = pass.blocks(P::kMergedCount);
    if constexpr (kCuts == Cuts::own_kernel) {
      launch("find_cuts", find_cuts<P>, {ceil_div(blocks * kWarp, 256), 256}, stream, from.keys,
             pass, blocks, space.cuts, space.unsorted);
    }
    launch("merge_runs", merge_runs<P, kCuts>, {blocks, P::kThreads, P::kSharedBytes}, stream, from,
           to, pass, space.cuts, space.unsorted, number == 0 && passes % 2 == 1);
  }
  return passes % 2 == 0 ? ResultIn::data : ResultIn::alternate;
}

/// How keys, or pairs with `Value`, are sorted by `Less` alone: the shapes that were the fastest of
/// those tried on an H200 with u32, u64 and, for large inputs, u32 + u32. Others were not timed.
template <class Less, Ties kTies, class Key, class Value = NoValue>
struct PlanFor {
  using Data = Items<Key, Value>;
  static constexpr bool kBigKeys = sizeof(Key) > 8;
  static constexpr bool kOnlySmallKeys =
      sizeof(Key) <= 4 && kTies == Ties::any_order && !Data::kPairs;
  template <class Shape>
  using In = Plan<Less, kTies, Key, Value, Shape>;
  template <bool kFirst, class A, class B>
  using Choose = std::conditional_t<kFirst, A, B>;

  /// Many small blocks, as there is not enough work for all SMs in large ones: over 16 x 512, with
  /// 2^16 keys, 1.29 times as fast for u32, 1.44 times for u64 (H200).
  using Small = In<Choose<kBigKeys, Shape<8, 256, 2>,
                          Choose<kOnlySmallKeys, Shape<16, 256, 6>, Shape<16, 256, 4>>>>;
  /// 32 x 256 is 1.21 times as fast as 16 x 512 for 2^27 u32 (H200); for u64 and pairs, which need
  /// more registers an item, 16 x 512 is 1.05 times as fast as 16 x 256.
  using Large = In<Choose<kBigKeys, Shape<8, 256, 2>,
                          Choose<kOnlySmallKeys, Shape<32, 256, 4>, Shape<16, 512, 2>>>>;
};

/// What `sort` needs for n items, or fewer, by a PlanFor<...>.
template <class P>
std::size_t workspace_bytes(std::size_t n) {
  // Small inputs need no more: each block finds its own cuts.
  return Workspace::of<typename P::Large>(n, nullptr).bytes;
}

/// Sorts `data` by P, a PlanFor<...>; says where the result is.
template <class P>
ResultIn sort(typename P::Data data, typename P::Data alternate, std::size_t n,
              std::byte* workspace, cudaStream_t stream) {
  // A launch for the cuts in each pass costs more than every block's own search, with the small
  // shape for 2^20 u32 1.14 times as much in all (H200).
  constexpr std::size_t kSmallCount = std::size_t{1} << 20;
  return n <= kSmallCount ? sort_in_shape<typename P::Small, Cuts::by_the_block>(data, alternate, n,
                                                                                 workspace, stream)
                          : sort_in_shape<typename P::Large, Cuts::own_kernel>(data, alternate, n,
                                                                               workspace, stream);
}

}  // namespace sortlab::gpu::multiway

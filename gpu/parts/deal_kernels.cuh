// The kernels that count and deal a part's shares (deal.cuh), and their launches.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "gpu/parts/deal.cuh"
#include "gpu/parts/streams.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::parts {

/// Where the items of a share go, in some GPU's memory, and what their keys become if they are pairs.
template <class Bits, class Value>
struct Target {
  Bits* keys;
  Value* values;
  Stretch<Bits> stretch;
};

/// What dealing needs in the workspace of its part.
template <class Bits, class Value>
struct DealMemory {
  Bits* d_splitter_keys;
  std::size_t* d_splitter_places;
  std::size_t* d_counts;  // counts[share * blocks + block]; later what the blocks before have of it
  std::size_t* d_totals;  // of each share
  Target<Bits, Value>* d_targets;

  DealMemory(Layout& layout, std::size_t shares, std::size_t blocks)
      : d_splitter_keys(layout.take<Bits>(kMostShares)),
        d_splitter_places(layout.take<std::size_t>(kMostShares)),
        d_counts(layout.take<std::size_t>(shares * blocks)),
        d_totals(layout.take<std::size_t>(shares)),
        d_targets(layout.take<Target<Bits, Value>>(shares)) {}
};

/// The shared memory for splitters of `bits` bits. It is dynamic, as all of a block's: launch() asks for more than 48
/// KiB by the dynamic memory alone.
template <class Bits>
constexpr std::size_t bounds_bytes(unsigned bits) {
  return (2 * sizeof(Bits) + sizeof(std::size_t)) << bits;
}

/// Loads the splitters into shared memory; a barrier.
template <class Bits>
__device__ __forceinline__ Bounds<Bits> load_bounds(std::byte* shared, const Bits* keys,
                                                    const std::size_t* places, unsigned bits,
                                                    unsigned shares) {
  auto* const s_places = reinterpret_cast<std::size_t*>(shared);
  auto* const s_keys = reinterpret_cast<Bits*>(s_places + (std::size_t{1} << bits));
  for (unsigned i = threadIdx.x; i + 1 < 1u << bits; i += blockDim.x) {
    s_keys[i] = keys[i];
    s_places[i] = places[i];
  }
  __syncthreads();
  return {s_keys, s_places, s_keys + (std::size_t{1} << bits), bits, shares};
}

template <class Bits>
__global__ void __launch_bounds__(DealPolicy<Bits>::kThreads, DealPolicy<Bits>::kBlocks)
    count_shares(const Bits* keys, KeyMap<Bits> key_map, Chunks chunks, const Bits* splitter_keys,
                 const std::size_t* splitter_places, unsigned bits, unsigned shares,
                 std::size_t* counts) {
  using Policy = DealPolicy<Bits>;
  const ShareCounts s_counts{
      reinterpret_cast<unsigned*>(dynamic_shared() + bounds_bytes<Bits>(bits)),
      ShareCounts::copy_bits_for(bits)};
  for (unsigned i = threadIdx.x; i < shares << s_counts.copy_bits; i += Policy::kThreads) {
    s_counts.counts[i] = 0;
  }
  const Bounds<Bits> bounds =
      load_bounds(dynamic_shared(), splitter_keys, splitter_places, bits, shares);
  const std::size_t end = chunks.begin(blockIdx.x + 1);
  for (std::size_t first = chunks.begin(blockIdx.x); first < end; first += Policy::kTile) {
    count_tile(keys, key_map, first, count_in_tile(end, first, Policy::kTile), bounds, s_counts);
  }
  __syncthreads();
  if (threadIdx.x < shares) {
    counts[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x] = s_counts.sum(threadIdx.x);
  }
}

/// A block for each share: turns the counts of its blocks into what those before have, and their sum.
constexpr unsigned kPlaceThreads = 256;
static __global__ void __launch_bounds__(kPlaceThreads)
    place_blocks(std::size_t* counts, unsigned blocks, std::size_t* totals) {
  __shared__ std::size_t s_warp_sums[kPlaceThreads / kWarp];
  std::size_t* const own = counts + std::size_t{blockIdx.x} * blocks;
  std::size_t before = 0;
  for (unsigned first = 0; first < blocks; first += kPlaceThreads) {
    const unsigned block = first + threadIdx.x;
    std::size_t sum = 0;
    const std::size_t mine = block < blocks ? own[block] : 0;
    const std::size_t place = block_exclusive_scan<kPlaceThreads>(mine, &sum, s_warp_sums);
    if (block < blocks) own[block] = before + place;
    before += sum;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

template <class Bits, class Value>
__global__ void __launch_bounds__(DealPolicy<Bits>::kThreads, DealPolicy<Bits>::kBlocks)
    deal_shares(Items<Bits, Value> from, KeyMap<Bits> key_map, Chunks chunks,
                DealMemory<Bits, Value> memory, unsigned bits, unsigned shares) {
  const auto space =
      DealSpace<Bits, Value>::in(dynamic_shared() + bounds_bytes<Bits>(bits), shares);
  if (threadIdx.x < shares) {
    const Target<Bits, Value> target = memory.d_targets[threadIdx.x];
    const std::size_t place = memory.d_counts[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x];
    space.key_targets[threadIdx.x] = target.keys + place;
    if constexpr (Items<Bits, Value>::kPairs) {
      space.value_targets[threadIdx.x] = target.values + place;
      space.stretches[threadIdx.x] = target.stretch;
    }
  }
  const Bounds<Bits> bounds =
      load_bounds(dynamic_shared(), memory.d_splitter_keys, memory.d_splitter_places, bits, shares);
  deal_items(from, key_map, chunks.begin(blockIdx.x), chunks.begin(blockIdx.x + 1), bounds, space);
}

/// The blocks that deal n items on the current device: as many as it holds, at least one.
template <class Bits>
std::size_t deal_blocks(std::size_t n) {
  using Policy = DealPolicy<Bits>;
  const std::size_t most = Policy::kBlocks * device_attribute(cudaDevAttrMultiProcessorCount);
  return std::max<std::size_t>(1, std::min(most, ceil_div(n, std::size_t{Policy::kTile})));
}

/// The bits of a share's number.
inline unsigned share_bits(std::size_t shares) {
  return static_cast<unsigned>(std::bit_width(shares - 1));
}

/// Counts a part's shares, on its device. The counts of the part are then in memory.d_totals.
template <class Bits, class Value>
void launch_count(const Bits* d_keys, KeyMap<Bits> key_map, std::size_t n, std::size_t part,
                  const std::vector<Splitter<Bits>>& splitters,
                  const DealMemory<Bits, Value>& memory, cudaStream_t stream) {
  const std::size_t shares = splitters.size() + 1;
  std::vector<Bits> keys(kMostShares, static_cast<Bits>(~Bits{0}));
  std::vector<std::size_t> places(kMostShares, kNowhere);
  for (std::size_t s = 0; s < splitters.size(); ++s) {
    keys[s] = splitters[s].key;
    places[s] = first_behind(splitters[s], part);
  }
  copy_words(memory.d_splitter_keys, keys.data(), keys.size(), stream);
  copy_words(memory.d_splitter_places, places.data(), places.size(), stream);
  const std::size_t blocks = deal_blocks<Bits>(n);
  const Chunks chunks{n, DealPolicy<Bits>::kTile, static_cast<unsigned>(blocks)};
  const unsigned bits = share_bits(shares);
  launch(
      "count_shares", count_shares<Bits>,
      {blocks, DealPolicy<Bits>::kThreads,
       bounds_bytes<Bits>(bits) + (shares << ShareCounts::copy_bits_for(bits)) * sizeof(unsigned)},
      stream, d_keys, key_map, chunks, memory.d_splitter_keys, memory.d_splitter_places, bits,
      shares, memory.d_counts);
  launch("place_blocks", place_blocks, {shares, kPlaceThreads}, stream, memory.d_counts, blocks,
         memory.d_totals);
}

/// Deals a part's items, on its device, after launch_count.
template <class Bits, class Value>
void launch_deal(Items<Bits, Value> from, KeyMap<Bits> key_map, std::size_t n,
                 const std::vector<Target<Bits, Value>>& targets,
                 const DealMemory<Bits, Value>& memory, cudaStream_t stream) {
  const std::size_t shares = targets.size();
  copy_words(memory.d_targets, targets.data(), shares, stream);
  const std::size_t blocks = deal_blocks<Bits>(n);
  const Chunks chunks{n, DealPolicy<Bits>::kTile, static_cast<unsigned>(blocks)};
  const unsigned bits = share_bits(shares);
  launch("deal_shares", deal_shares<Bits, Value>,
         {blocks, DealPolicy<Bits>::kThreads,
          bounds_bytes<Bits>(bits) + DealSpace<Bits, Value>::bytes(shares)},
         stream, from, key_map, chunks, memory, bits, shares);
}

}  // namespace sortlab::gpu::parts

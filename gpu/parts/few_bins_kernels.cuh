// The kernels that count and scatter by few bins (few_bins.cuh), and their launches.
#pragma once

#include <algorithm>

#include "gpu/parts/deal_kernels.cuh"
#include "gpu/parts/few_bins.cuh"

namespace sortlab::gpu::parts {

/// Counts the keys of each bin in the block's chunk: counts[bin * gridDim.x + block].
template <unsigned kBins, class Bits>
__global__ void __launch_bounds__(FewPolicy<Bits>::kThreads, FewPolicy<Bits>::kBlocks)
    count_few(const Bits* keys, KeyMap<Bits> key_map, Chunks chunks,
              __grid_constant__ const FewBins<Bits> bins, std::size_t* counts) {
  using Policy = FewPolicy<Bits>;
  __shared__ unsigned s_behind[kBins];
  if (threadIdx.x < kBins) s_behind[threadIdx.x] = 0;
  __syncthreads();
  unsigned behind[kBins] = {};
  const std::size_t end = chunks.begin(blockIdx.x + 1);
  for (std::size_t first = chunks.begin(blockIdx.x); first < end; first += Policy::kTile) {
    const unsigned count = count_in_tile(end, first, Policy::kTile);
    FewKeys<Bits> tile[Policy::kVectors];
    load_few(keys + first, count, tile);
    count_few_tile(tile, count, key_map, bins, behind);
  }
#pragma unroll
  for (unsigned b = 0; b < kBins; ++b) {
    const unsigned sum = warp_sum(behind[b]);
    if (lane_id() == 0 && sum > 0) atomicAdd(&s_behind[b], sum);
  }
  __syncthreads();
  if (threadIdx.x < kBins) {
    const unsigned of_next = threadIdx.x + 1 < kBins ? s_behind[threadIdx.x + 1] : 0;
    counts[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x] = s_behind[threadIdx.x] - of_next;
  }
}

/// counts[] say how many keys of each bin the blocks before have.
template <unsigned kBins, class Bits>
__global__ void __launch_bounds__(FewPolicy<Bits>::kThreads, FewPolicy<Bits>::kBlocks)
    scatter_few(const Bits* keys, KeyMap<Bits> key_map, Chunks chunks,
                __grid_constant__ const FewBins<Bits> bins,
                __grid_constant__ const FewTargets<Bits> targets, const std::size_t* counts) {
  auto& s = *reinterpret_cast<FewSpace<kBins, Bits>*>(dynamic_shared());
  if (threadIdx.x < kBins) {
    Bits* const to = targets.to[threadIdx.x];
    s.targets[threadIdx.x] =
        to == nullptr ? nullptr : to + counts[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x];
  }
  __syncthreads();
  const FewSearch<kBins, Bits> search{bins, key_map};
  scatter_few_keys(keys, chunks.begin(blockIdx.x), chunks.begin(blockIdx.x + 1), search, s);
}

/// The blocks for n keys on the current device, and what each of them has.
template <class Bits>
Chunks few_chunks(std::size_t n) {
  using Policy = FewPolicy<Bits>;
  const std::size_t most = Policy::kBlocks * device_attribute(cudaDevAttrMultiProcessorCount);
  const std::size_t blocks = std::min(most, ceil_div(n, std::size_t{Policy::kTile}));
  return {n, Policy::kTile, static_cast<unsigned>(std::max<std::size_t>(1, blocks))};
}

/// Calls use(number) with the number of bins, as a type, that the kernels are compiled for.
template <class Use>
void with_few_bins(unsigned bins, Use use) {
  if (bins <= kMostFewBins / 2) {
    use(std::integral_constant<unsigned, kMostFewBins / 2>{});
  } else {
    use(std::integral_constant<unsigned, kMostFewBins>{});
  }
}

/// What a part needs for them in its workspace.
struct FewMemory {
  std::size_t* d_counts;  // of each bin and block; later what the blocks before have
  std::size_t* d_totals;  // of each bin

  FewMemory(Layout& layout, std::size_t blocks)
      : d_counts(layout.take<std::size_t>(kMostFewBins * blocks)),
        d_totals(layout.take<std::size_t>(kMostFewBins)) {}
};

/// Counts a part's n keys. The counts of the part are then in memory.d_totals.
template <class Bits>
void launch_count_few(const Bits* d_keys, KeyMap<Bits> key_map, std::size_t n,
                      const FewBins<Bits>& bins, const FewMemory& memory, cudaStream_t stream) {
  const Chunks chunks = few_chunks<Bits>(n);
  with_few_bins(bins.count, [&](auto most) {
    launch("count_few", count_few<most, Bits>, {chunks.blocks, FewPolicy<Bits>::kThreads}, stream,
           d_keys, key_map, chunks, bins, memory.d_counts);
    launch("place_blocks", place_blocks, {most, kPlaceThreads}, stream, memory.d_counts,
           chunks.blocks, memory.d_totals);
  });
}

/// Scatters them, after launch_count_few.
template <class Bits>
void launch_scatter_few(const Bits* d_keys, KeyMap<Bits> key_map, std::size_t n,
                        const FewBins<Bits>& bins, const FewTargets<Bits>& targets,
                        const FewMemory& memory, cudaStream_t stream) {
  const Chunks chunks = few_chunks<Bits>(n);
  with_few_bins(bins.count, [&](auto most) {
    launch("scatter_few", scatter_few<most, Bits>,
           {chunks.blocks, FewPolicy<Bits>::kThreads, sizeof(FewSpace<most, Bits>)}, stream, d_keys,
           key_map, chunks, bins, targets, memory.d_counts);
  });
}

}  // namespace sortlab::gpu::parts

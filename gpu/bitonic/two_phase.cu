// Bitonic sort in two phases: blocks of 512 items in shared memory, then a grid-stride kernel in
// global memory for each step of every stage k > 512.
//
// Over v3 it gives up the fused lower steps (333 launches of phase 2 at 2^27, each reading and
// writing every key: 8 bytes per 32-bit key and step) and keeps one plain kernel. Its grid just
// fills the GPU, and its threads have several pairs in flight, so each launch runs near the copy
// bandwidth.
//
//   phase 1    | 512 ^ | 512 v | 512 ^ | ...    alternating runs, one block each
//   phase 2    k = 1024, 2048, ...; j = k/2, ..., 1: one launch each
//
// Against the sources: any n in place, without padding to a power of two with INT_MAX keys that
// real keys may equal; the shifted index numbers the pairs, so that no thread is idle because it
// has the upper index.
// Gain over v3: 0.812x, a loss (2^27 u32 keys, H200; results/h200/ladder.summary.csv).
// Bytes per u32 key at 2^27: 2672 (8 in each of 334 launches).
// Source: Goralija et al., section III.C.1 and algorithm 1; Bosnian edition, section III.D
// (docs/papers.md).
#include <algorithm>

#include "gpu/primitives/block/bitonic_sort.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"

namespace sortlab {
namespace {

/// Phase 1: a block sorts its 512 items in the direction that the network wants there.
template <class Less, class Key, class Value>
__global__ void __launch_bounds__(gpu::kSortedTile / 2)
    sort_blocks(Items<Key, Value> data, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * gpu::kSortedTile;
  const unsigned count = gpu::count_in_tile(n, first, gpu::kSortedTile);
  const auto s_tile = gpu::items_at<Key, Value>(gpu::dynamic_shared(), gpu::kSortedTile);
  gpu::copy_items(data.from(first), s_tile, count);
  __syncthreads();
  for (unsigned k = 2; k <= gpu::kSortedTile; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      const auto pair = gpu::pair_of<gpu::Scheme::shifted, unsigned>(threadIdx.x, j);
      if (pair.is_within(count)) {
        const bool upwards = gpu::is_upwards<std::size_t>(first + pair.low, n - 1, k);
        gpu::exchange<Less>(s_tile, pair.low, pair.high, upwards);
      }
      __syncthreads();
    }
  }
  gpu::copy_items(s_tile, data.from(first), count);
}

/// Pairs that a thread loads before it compares the first: they hide the memory's latency.
constexpr unsigned kPairsInFlight = 4;

/// Phase 2: the step (k, j) over all pairs, grid-stride.
template <class Less, class Key, class Value>
__global__ void stride_step(Items<Key, Value> data, std::size_t n, std::size_t k, std::size_t j) {
  const Less less;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t p = first; p < n / 2; p += kPairsInFlight * stride) {
    gpu::Pair<std::size_t> pair[kPairsInFlight];
    Key low[kPairsInFlight];
    Key high[kPairsInFlight];
#pragma unroll
    for (unsigned u = 0; u < kPairsInFlight; ++u) {
      pair[u] = gpu::pair_of<gpu::Scheme::shifted>(p + u * stride, j);
      if (pair[u].is_within(n)) {
        low[u] = data.keys[pair[u].low];
        high[u] = data.keys[pair[u].high];
      }
    }
#pragma unroll
    for (unsigned u = 0; u < kPairsInFlight; ++u) {
      if (!pair[u].is_within(n)) continue;
      const bool upwards = gpu::is_upwards(pair[u].low, n - 1, k);
      if (upwards ? less(high[u], low[u]) : less(low[u], high[u])) {
        data.keys[pair[u].low] = high[u];
        data.keys[pair[u].high] = low[u];
        if constexpr (Items<Key, Value>::kPairs) {
          const Value value = data.values[pair[u].low];
          data.values[pair[u].low] = data.values[pair[u].high];
          data.values[pair[u].high] = value;
        }
      }
    }
  }
}

struct TwoPhase {
  static constexpr ParamSpec kParams[] = {
      {"threads", 256, 64, 1024, "threads a block of the grid-stride kernel, a power of two"}};
  static constexpr Info info{
      .summary = "bitonic, 512-item blocks in shared memory, then grid-stride steps",
      .source = "Goralija et al., III.C.1: Shared+Stride",
      .after = "gpu/bitonic/v3_warp_register",
      .memory = Memory::device,
      .in_place = true,
      .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Less = typename Job::Less;
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    const unsigned threads = gpu::power_of_two(job.params, "threads");
    const gpu::Grid filled{std::min(gpu::resident_blocks(stride_step<Less, Key, Value>, threads),
                                    ceil_div(job.n / 2, threads)),
                           threads};

    gpu::launch("sort_blocks", sort_blocks<Less, Key, Value>,
                {ceil_div(job.n, gpu::kSortedTile), gpu::kSortedTile / 2,
                 gpu::bytes_of_items<Key, Value>(gpu::kSortedTile)},
                job.stream, job.data, job.n);
    for (std::size_t k = 2 * gpu::kSortedTile; k / 2 < job.n; k *= 2) {
      for (std::size_t j = k / 2; j > 0; j /= 2) {
        gpu::launch("stride_step", stride_step<Less, Key, Value>, filled, job.stream, job.data,
                    job.n, k, j);
      }
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<TwoPhase>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

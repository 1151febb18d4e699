// The kernels of counted_rows.hpp.
#pragma once

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/warp/lanes.cuh"
#include "library/cuda/rows/row_keys.hpp"

namespace sortlab::cuda::detail {

constexpr unsigned kByteValues = 256;
constexpr unsigned kByteThreads = 512;
constexpr unsigned kByteWarps = kByteThreads / gpu::kWarp;
constexpr unsigned kByteItems = 16;  // of a thread
constexpr unsigned kScanThreads = 1024;
constexpr unsigned kScanGroups = kScanThreads / kByteValues;

/// The chunks of rows, of about the same length.
struct RowChunks {
  static constexpr unsigned kMost = kByteThreads * kByteItems;
  unsigned n;
  unsigned in_row;
  unsigned length;

  SORTLAB_HD explicit RowChunks(std::size_t keys_of_row)
      : n(static_cast<unsigned>(keys_of_row)),
        in_row(static_cast<unsigned>((keys_of_row + kMost - 1) / kMost)),
        length(static_cast<unsigned>((keys_of_row + in_row - 1) / in_row)) {}
};

/// The chunk of a block.
struct ByteChunk {
  unsigned row;
  unsigned first;  // in the row
  unsigned length;

  __device__ __forceinline__ explicit ByteChunk(const RowChunks& chunks)
      : row(blockIdx.x / chunks.in_row), first((blockIdx.x - row * chunks.in_row) * chunks.length) {
    length = first < chunks.n ? min(chunks.length, chunks.n - first) : 0;
  }
};

/// Each chunk's count of each value.
static __global__ void __launch_bounds__(kByteThreads)
    count_bytes(__grid_constant__ const RowKeys<std::uint32_t> keys, RowChunks chunks,
                std::uint32_t* counts) {
  constexpr unsigned kCopies = 4;  // fewer threads meet at a count
  __shared__ unsigned s_counts[kCopies][kByteValues];
  for (unsigned i = threadIdx.x; i < kCopies * kByteValues; i += kByteThreads) {
    s_counts[i / kByteValues][i % kByteValues] = 0;
  }
  __syncthreads();
  const ByteChunk chunk(chunks);
  const std::size_t begin = std::size_t{chunk.row} * chunks.n + chunk.first;
  unsigned* const s_own = s_counts[gpu::warp_id() % kCopies];
  for (unsigned p = threadIdx.x; p < chunk.length; p += kByteThreads) {
    atomicAdd(&s_own[keys.ordered(begin + p)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kByteValues) {
    unsigned all = 0;
#pragma unroll
    for (unsigned copy = 0; copy < kCopies; ++copy) all += s_counts[copy][threadIdx.x];
    counts[std::size_t{blockIdx.x} * kByteValues + threadIdx.x] = all;
  }
}

/// Each chunk's counts of a row get the place of the first one in the row.
static __global__ void __launch_bounds__(kScanThreads)
    scan_bytes(RowChunks chunks, std::uint32_t* counts) {
  __shared__ unsigned s_sums[kScanGroups][kByteValues];
  __shared__ unsigned s_begins[kByteValues];
  __shared__ unsigned s_totals[gpu::kWarp];
  const unsigned value = threadIdx.x % kByteValues;
  const unsigned group = threadIdx.x / kByteValues;
  std::uint32_t* const own = counts + std::size_t{blockIdx.x} * chunks.in_row * kByteValues + value;
  const auto share = [&](unsigned g) {
    return static_cast<unsigned>(std::uint64_t{chunks.in_row} * g / kScanGroups);
  };
  const unsigned first = share(group);
  const unsigned last = share(group + 1);
  unsigned sum = 0;
#pragma unroll 8
  for (unsigned c = first; c < last; ++c) sum += own[std::size_t{c} * kByteValues];
  s_sums[group][value] = sum;
  __syncthreads();
  unsigned all = 0;
  if (group == 0) {
#pragma unroll
    for (unsigned g = 0; g < kScanGroups; ++g) all += s_sums[g][value];
  }
  const unsigned begin = gpu::block_exclusive_scan_by_lanes<kScanThreads>(all, s_totals);
  if (group == 0) s_begins[value] = begin;
  __syncthreads();
  unsigned before = s_begins[value];
  for (unsigned g = 0; g < group; ++g) before += s_sums[g][value];
  constexpr unsigned kAtOnce = 8;
  for (unsigned c = first; c < last; c += kAtOnce) {
    unsigned count[kAtOnce];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      count[k] = c + k < last ? own[std::size_t{c + k} * kByteValues] : 0;
    }
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (c + k < last) own[std::size_t{c + k} * kByteValues] = before;
      before += count[k];
    }
  }
}

/// Writes the places of a chunk's keys. In shared memory they are put in order, so that neighbours are written together.
static __global__ void __launch_bounds__(kByteThreads)
    place_bytes(__grid_constant__ const RowKeys<std::uint32_t> keys, RowChunks chunks,
                const std::uint32_t* begins) {
  __shared__ unsigned s_counts[kByteWarps][kByteValues];  // of a warp; then of the warps before
  __shared__ unsigned s_begins[kByteValues];              // in the chunk
  __shared__ unsigned s_to[kByteValues];  // where the chunk's first key would go, were it this one
  __shared__ unsigned s_totals[gpu::kWarp];
  __shared__ std::uint16_t s_places[RowChunks::kMost];
  __shared__ std::uint8_t s_values[RowChunks::kMost];
  const unsigned warp = gpu::warp_id();
  for (unsigned v = gpu::lane_id(); v < kByteValues; v += gpu::kWarp) s_counts[warp][v] = 0;
  __syncwarp();
  const ByteChunk chunk(chunks);
  const std::size_t row_begin = std::size_t{chunk.row} * chunks.n;
  const auto place = [&](unsigned j) {
    return warp * (kByteItems * gpu::kWarp) + j * gpu::kWarp + gpu::lane_id();
  };
  unsigned value[kByteItems];
  unsigned rank[kByteItems];
#pragma unroll
  for (unsigned j = 0; j < kByteItems; ++j) {
    value[j] =
        place(j) < chunk.length ? keys.ordered(row_begin + chunk.first + place(j)) : kByteValues;
  }
#pragma unroll
  for (unsigned j = 0; j < kByteItems; ++j) {
    const unsigned peers = __match_any_sync(gpu::kAllLanes, value[j]);
    const auto below = static_cast<unsigned>(__popc(gpu::lanes_below(peers)));
    unsigned before = 0;
    if (below == 0 && value[j] < kByteValues) {
      before = atomicAdd(&s_counts[warp][value[j]], static_cast<unsigned>(__popc(peers)));
    }
    rank[j] = __shfl_sync(gpu::kAllLanes, before, __ffs(static_cast<int>(peers)) - 1) + below;
    __syncwarp();  // row by row
  }
  __syncthreads();
  unsigned all = 0;
  if (threadIdx.x < kByteValues) {
#pragma unroll
    for (unsigned w = 0; w < kByteWarps; ++w) {
      const unsigned its = s_counts[w][threadIdx.x];
      s_counts[w][threadIdx.x] = all;
      all += its;
    }
  }
  const unsigned begin = gpu::block_exclusive_scan_by_lanes<kByteThreads>(all, s_totals);
  if (threadIdx.x < kByteValues) {
    s_begins[threadIdx.x] = begin;
    s_to[threadIdx.x] = begins[std::size_t{blockIdx.x} * kByteValues + threadIdx.x] - begin;
  }
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < kByteItems; ++j) {
    if (value[j] == kByteValues) continue;
    const unsigned to = s_begins[value[j]] + s_counts[warp][value[j]] + rank[j];
    s_places[to] = static_cast<std::uint16_t>(place(j));
    s_values[to] = static_cast<std::uint8_t>(value[j]);
  }
  __syncthreads();
  for (unsigned p = threadIdx.x; p < chunk.length; p += kByteThreads) {
    keys.put_index(row_begin + (s_to[s_values[p]] + p), chunk.first + s_places[p]);
  }
}

/// Writes the keys of a chunk: the value of a place is the last one that begins there or before.
static __global__ void __launch_bounds__(kByteThreads)
    fill_bytes(__grid_constant__ const RowKeys<std::uint32_t> keys, RowChunks chunks,
               const std::uint32_t* begins) {
  __shared__ unsigned s_begins[kByteValues];
  const ByteChunk chunk(chunks);
  if (threadIdx.x < kByteValues) {
    s_begins[threadIdx.x] =
        begins[std::size_t{chunk.row} * chunks.in_row * kByteValues + threadIdx.x];
  }
  __syncthreads();
  for (unsigned p = threadIdx.x; p < chunk.length; p += kByteThreads) {
    const unsigned place = chunk.first + p;
    unsigned value = 0;
#pragma unroll
    for (unsigned half = kByteValues / 2; half > 0; half /= 2) {
      if (s_begins[value + half] <= place) value += half;
    }
    keys.put_key(std::size_t{chunk.row} * chunks.n + place, value);
  }
}

}  // namespace sortlab::cuda::detail

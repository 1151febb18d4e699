// The splitters of a segment: quantiles of a sample, which a block sorts.
#pragma once

#include "gpu/quick/levels.cuh"
#include "gpu/quick/sample/level.cuh"

namespace sortlab::gpu::quick::sample {

/// How many keys of a segment are sampled for a splitter, at most.
constexpr unsigned kMostSamplesABucket = 32;

/// The place, in a segment, of number i of its samples.
__device__ __forceinline__ Count sample_place(Segment segment, unsigned i) {
  return __umul64hi(mixed_bits(segment.begin + (Count{i} << 40) + i), segment.count);
}

/// Loads the thread's share of the sample: random places, so that no pattern of the keys misleads it.
template <class T>
__device__ __forceinline__ void take_sample(const typename T::Key* keys, const typename T::Map& map,
                                            const Segment& segment, unsigned samples,
                                            typename T::Sampler::Chunk& chunk) {
  constexpr unsigned kItems = T::Sampler::kItems;
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned i = threadIdx.x * kItems + r;
    chunk.keys[r] = map.ordered(keys[segment.begin + (i < samples ? sample_place(segment, i) : 0)]);
  }
}

/// Writes every a_bucket-th key of the sorted sample as a splitter. Returns whether this thread saw one
/// twice: such a key is frequent and gets a bucket of its own.
template <class T>
__device__ __forceinline__ bool write_splitters(typename T::Key* splitters, unsigned k,
                                                unsigned a_bucket) {
  const auto tile = T::Sampler::tile();
  bool any = false;
  for (unsigned b = threadIdx.x + 1; b < k; b += blockDim.x) {
    const auto splitter = tile.key_at(b * a_bucket);
    splitters[b - 1] = splitter;
    any |= b > 1 && !typename T::Less{}(tile.key_at((b - 1) * a_bucket), splitter);
  }
  return any;
}

/// A block a segment; clears its counts, too.
template <class T>
__global__ void __launch_bounds__(T::Sampler::kThreads, T::Sampler::kBlocks)
    choose_splitters(const typename T::Key* keys, typename T::Map map,
                     Level<typename T::Key> level) {
  using Sampler = typename T::Sampler;
  await_previous_kernel();
  const unsigned k = level.k();
  Count* const counts = level.counts + std::size_t{blockIdx.x} * k;
  for (unsigned b = threadIdx.x; b < k; b += blockDim.x) counts[b] = 0;
  const Segment segment = level.segments[blockIdx.x];
  if (segment.todo != Todo::split) return;

  const unsigned samples =
      min(Sampler::Tile::kCount, max(k * kMostSamplesABucket, Sampler::kItems));
  typename Sampler::Chunk chunk;
  take_sample<T>(keys, map, segment, samples, chunk);
  merge_sort::sort_tile<Sampler>(Sampler::tile(), samples, chunk);
  auto* const splitters = level.splitters + std::size_t{blockIdx.x} * k;
  const bool any_twice = __syncthreads_or(write_splitters<T>(splitters, k, samples / k));
  if (threadIdx.x == 0) level.has_frequent[blockIdx.x] = any_twice;
}

}  // namespace sortlab::gpu::quick::sample

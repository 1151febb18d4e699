// A bucket that has turned out too large for its block.
#pragma once

#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/radix/small/block.cuh"

namespace sortlab::gpu::radix::small {

/// Sorts the `count` items from `begin` on, which are too many for block_sort, with one block; item
/// p is key_of(p), place_of(p). Piece by piece, which are then merged two and two between the
/// exchange buffer and another. Slow, and correct for any items.
template <class Shape, class Job, class Shared, class KeyOf, class PlaceOf>
__device__ __noinline__ void sort_large_bucket(const Job& job, unsigned begin, unsigned count,
                                               KeyOf key_of, PlaceOf place_of, Shared& s) {
  using Bits = typename Job::Bits;
  using Value = typename Job::Value;
  constexpr unsigned kThreads = Shape::kThreads;
  for (unsigned first = 0; first < count; first += Shape::kBucket) {
    const unsigned piece = begin + first;
    const unsigned size = min(count - first, Shape::kBucket);
    const auto number_of = [piece](unsigned i) { return piece + i * kThreads + threadIdx.x; };
    block_sort<Shape::kBucketItems>([&](unsigned i) { return key_of(number_of(i)); }, size,
                                    [&](unsigned i) { return place_of(number_of(i)); }, s);
    for (unsigned p = threadIdx.x; p < size; p += kThreads) {
      job.exchange.put(piece + p, s.items()[p]);
    }
  }
  __syncthreads();
  Items<Bits, Value> source = job.exchange.from(begin);
  Items<Bits, Value> target = job.spare.from(begin);
  constexpr unsigned kBatch = 16;
  const unsigned share = (count + kThreads - 1) / kThreads;
  for (unsigned width = Shape::kBucket; width < count; width *= 2) {
    unsigned at = threadIdx.x * share;
    const unsigned end = min(at + share, count);
    while (at < end) {
      const unsigned first = at / (2 * width) * (2 * width);
      const RunPair<unsigned> runs{first, min(first + width, count), min(first + 2 * width, count)};
      const unsigned steps = min(min(end, runs.end) - at, kBatch);
      merge_items<kBatch>(source, runs, at - first, steps,
                          [=](unsigned e, auto item) { target.put(at + e, item); });
      at += steps;
    }
    __syncthreads();
    const auto merged = target;
    target = source;
    source = merged;
  }
  for (unsigned p = threadIdx.x; p < count; p += kThreads) job.put_result(begin + p, source[p]);
}

}  // namespace sortlab::gpu::radix::small

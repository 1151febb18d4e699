// The sample of a team of gpu/radix/small, runs of neighbours spread over the input: it makes the splitters, and it
// says whether passes over digits are faster.
#pragma once

#include <algorithm>

#include "gpu/primitives/warp/lanes.cuh"
#include "gpu/radix/small/bins.cuh"
#include "gpu/radix/small/passes.cuh"

namespace sortlab::gpu::radix::small {

/// kRun neighbours of each of count / kRun equal parts of [0, n): number j grows with the place. A
/// part is of kRun places at least; runs begin at multiples of kRun, so that each is one sector or
/// two of the memory.
template <unsigned kRun>
class SamplePlaces {
 public:
  __device__ SamplePlaces(unsigned count, unsigned n)
      : part_(n / (count / kRun)), larger_(n % (count / kRun)) {}
  __device__ __forceinline__ unsigned operator()(unsigned j) const {
    const unsigned run = j / kRun;
    unsigned h = (run + 1) * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h ^= h >> 13;
    const unsigned place = run * part_ + min(run, larger_) + __umulhi(h, part_ - (kRun - 1));
    return place / kRun * kRun + j % kRun;
  }

 private:
  unsigned part_;
  unsigned larger_;  // so many parts hold one more
};

/// How many of n items to sample, at most `wanted`.
template <class Shape>
unsigned sample_size(unsigned n, unsigned wanted) {
  constexpr unsigned kRun = Shape::kSampleRun;
  return std::min({n / 2, wanted, Shape::kThreads * Shape::kSampleItems}) / kRun * kRun;
}

/// A thread's keys of the sample: number i * threads + t in key[i].
template <class Shape, class Job>
__device__ __forceinline__ void load_sample(const Job& job, unsigned count,
                                            typename Job::Bits (&key)[Shape::kSampleItems]) {
  const SamplePlaces<Shape::kSampleRun> places(count, job.n);
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    const unsigned number = i * Shape::kThreads + threadIdx.x;
    if (number < count) key[i] = job.data.keys[places(number)];
  }
}

// Whether a team sorts by passes over digits, of which its sample tells: how many of the keys crowd, whether they
// repeat, in how many digits they differ.
//
//                     the fullest bin of the sample holds     passes where the digits are at most
//   any items         a 32nd to half                          3
//                     a 32nd to a quarter, keys repeat not    4; or any number, if most of the sample crowds (text)
//
// A large team leaves to the passes of the onesweep (launches.cuh) pairs from a 64th on, whatever their digits; keys of
// 32 bits from a 48th on that need over 3 passes; and those of which neighbours in the sorted sample are unevenly far
// apart:
//
//   distances of 5 keys in a row   1 1 1 1      1 0 7 0
//   squares / square of the sum    4 / 16       50 / 64        d even distances, and zeros: 2 / (d + 1) in the mean
//
// Crowds are otherwise spread again, over their own range (crowds.cuh), until there are none. This is faster where keys
// crowd in one scale, or repeat: equal keys need no more work. It is slower where there are crowds within crowds.
// measured: 2^20 items, us, by passes and by crowds: u32+u32 of Zipf's law 69 vs 99, u64+u32 82 vs 136, morton 86 vs
// 106, but logits 85 vs 75; u64 of sizes 81 vs 92; H200, small.14.txt

/// What the bins of the sample hold.
struct Fullness {
  unsigned fullest;  // the items of the bin that holds the most
  unsigned crowded;  // the items in bins of more than kSmallCrowd

  static constexpr unsigned kSmallCrowd = kMostInBin / 4;
};

template <class Shape, class Shared>
__device__ __forceinline__ Fullness fullness_of(unsigned sample_count, Shared& s) {
  Fullness mine{};
  for (unsigned b = threadIdx.x; b < bins_for<decltype(s.sample)>(sample_count);
       b += Shape::kThreads) {
    const unsigned size = s.sample.bins[b] >> 16;
    mine.fullest = max(mine.fullest, size);
    if (size > Fullness::kSmallCrowd) mine.crowded += size;
  }
  return {block_reduce<Shape::kThreads>(mine.fullest, s.scan_total,
                                        [](unsigned a, unsigned b) { return max(a, b); }),
          block_reduce<Shape::kThreads>(mine.crowded, s.scan_total,
                                        [](unsigned a, unsigned b) { return a + b; })};
}

/// Whether keys repeat: each is compared with three others or more, and a 64th of the threads find one that is the same.
/// Not in the bins: in which order keys lie in a bin, blocks don't agree on.
template <class Shape, class Bits, class Shared>
__device__ __forceinline__ bool repeats_often(const Bits (&sample)[Shape::kSampleItems],
                                              unsigned sample_count, Shared& s) {
  bool has_same = false;
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    const unsigned number = i * Shape::kThreads + threadIdx.x;
#pragma unroll
    for (unsigned distance = Shape::kSampleRun; distance < kWarp; distance *= 2) {
      const bool is_same = __shfl_xor_sync(kAllLanes, sample[i], distance) == sample[i];
      has_same |= is_same && number < sample_count && (number ^ distance) < sample_count;
    }
  }
  return block_reduce<Shape::kThreads>(unsigned{has_same}, s.scan_total,
                                       [](unsigned a, unsigned b) { return a + b; }) >
         Shape::kThreads / 64;
}

/// How many passes the keys of the sample need.
template <class Shape, class Job, class Shared>
__device__ __forceinline__ unsigned passes_for_sample(
    const Job& job, const typename Job::Bits (&sample)[Shape::kSampleItems], unsigned sample_count,
    Shared& s) {
  using Bits = typename Job::Bits;
  const Bits one = job.key(0);
  Bits differing = 0;
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    if (i * Shape::kThreads + threadIdx.x < sample_count) {
      differing |= job.map.ordered(sample[i]) ^ one;
    }
  }
  return passes_for(
      block_reduce<Shape::kThreads>(differing, s.differing, [](Bits a, Bits b) { return a | b; }));
}

/// Whether the sorted sample of `count` keys is uneven. All threads of all blocks return the same. The threads must
/// have met since it was sorted. Pairs with equal keys are uneven; equal keys alone are easy: most of what even
/// distances that are not zero would have is taken off.
template <class Shape, bool kPairs, class Shared>
__device__ __forceinline__ bool has_uneven_distances(unsigned count, Shared& s) {
  constexpr unsigned kDistances = 4;
  constexpr float kOne = 1024;
  constexpr float kTakenOff = kPairs ? 0 : 1.43F;
  constexpr auto kMostEven = static_cast<int>((kPairs ? 0.415F : 0.165F) * kOne);
  const auto items = s.sample.items();
  const unsigned groups = (count - 1) / kDistances;
  int mine = 0;
  for (unsigned g = threadIdx.x; g < groups; g += Shape::kThreads) {
    float sum = 0;
    float squares = 0;
    float different = 0;
#pragma unroll
    for (unsigned k = 0; k < kDistances; ++k) {
      const auto distance =
          static_cast<float>(items[g * kDistances + k + 1].key - items[g * kDistances + k].key);
      sum += distance;
      squares += distance * distance;
      different += distance > 0 ? 1 : 0;
    }
    mine += sum > 0 ? static_cast<int>((squares / (sum * sum) - kTakenOff / (different + 1)) * kOne)
            : kPairs ? kMostEven
                     : 0;
  }
  return block_reduce<Shape::kThreads>(mine, s.differences, [](int a, int b) { return a + b; }) >
         static_cast<int>(groups) * kMostEven;
}

/// How a team sorts items.
enum class Way { spread, passes, sweeps };

/// The way of items that crowd, of which the sample lies in its bins. All threads of all blocks return the same. Not
/// inline, so that even keys have the registers for themselves.
template <class Shape, class Job, class Shared>
__device__ __noinline__ Way way_of_crowds(const Job& job, unsigned sample_count, Shared& s) {
  constexpr unsigned kFewPasses = 3;
  constexpr unsigned kSomePasses = 4;
  const Fullness bins = fullness_of<Shape>(sample_count, s);
  const unsigned most_even = sample_count / (!Shape::kPasses ? 64 : Shape::kSweeps ? 48 : 32);
  if (bins.fullest <= most_even || bins.fullest > sample_count / 2) return Way::spread;
  if constexpr (!Shape::kPasses) {
    return Way::sweeps;
  } else {
    typename Job::Bits sample[Shape::kSampleItems] = {};
    load_sample<Shape>(job, sample_count, sample);
    const unsigned passes = passes_for_sample<Shape>(job, sample, sample_count, s);
    if (passes <= kFewPasses && passes <= Shape::kMostPasses) return Way::passes;
    if constexpr (Shape::kSweeps) return Way::sweeps;
    if (passes > Shape::kMostPasses || bins.fullest > sample_count / 4) return Way::spread;
    if (passes > kSomePasses && bins.crowded <= sample_count / 2) return Way::spread;
    return repeats_often<Shape>(sample, sample_count, s) ? Way::spread : Way::passes;
  }
}

}  // namespace sortlab::gpu::radix::small

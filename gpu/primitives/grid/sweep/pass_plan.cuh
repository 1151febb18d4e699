// One read of all keys, and what follows from it: the bins of every pass, and the passes needed.
//
// The counters of a bin lie side by side in shared memory, one for each lane (for each two, with
// 8-byte keys), so that the lanes of a warp never meet in a bank, whatever the keys are:
//
//     bin 0   lane 0  lane 1  ...  lane 31        128 bytes, one counter a bank
//     bin 1   lane 0  lane 1  ...  lane 31
//
// The block that is done last adds up the bins and plans the sort, on the device: a pass is skipped
// when all keys have the same digit there, and all passes when the keys are sorted already. Passes
// ping-pong between the two buffers; if an odd number of them is needed, a copy brings the
// result home. While it reads, the kernel clears the words for the look-back.
//
// The least and the greatest key determine which pass is the last one needed. The bits of a key from a digit upwards are a
// number. If these numbers are less than 256 apart, that digit alone separates them, although higher digits may differ,
// too, as they do in small keys of both signs:
//
//     keys    7f fe | 7f ff | 80 00 | 80 01       numbers of both digits: less than 256 apart
//     bins       fe      ff      00      01       one pass over the low digit: the bin of the least key, fe, comes first
//
// So i64 of 18 bits around zero take three passes rather than eight.
//
// Floats that were whole numbers, or had fewer bits, end in zeros. Ordered, these are ones in negative floats, so that the
// low digits differ, but only by the sign. They take no pass.
// measured: f64 of both signs, us: walk of 4.3 and 16.8 million 196 vs 275, 554 vs 897; H200, h200/attempts/choose.1.txt
#pragma once

#include "common/cuda_check.hpp"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/primitives/grid/sweep/sweeps.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/launch.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::sweep {

constexpr unsigned kPlanThreads = 1024;
constexpr unsigned kHeavyShare = 8;  // a bin with over n / 8 keys is heavy

/// Shared memory for the counters, with which few lanes share one.
constexpr std::size_t kCounterBytes = 128 * 1024;

template <class Bits, std::size_t kMostBytes = kCounterBytes>
struct BinCounters {
  static constexpr unsigned kBinsInAll = kPasses<Bits> * kBins;
  static constexpr unsigned kCopies = kMostBytes / (kBinsInAll * sizeof(unsigned));
  static_assert(kWarp % kCopies == 0);
  static constexpr std::size_t kBytes = std::size_t{kBinsInAll} * kCopies * sizeof(unsigned);

  unsigned* counters;

  __device__ void clear() const {
    for (unsigned i = threadIdx.x; i < kBinsInAll * kCopies; i += kPlanThreads) counters[i] = 0;
  }
  __device__ void count(Bits bits) const {
#pragma unroll
    for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
      const unsigned bin = pass * kBins + digit_at(bits, pass * kDigitBits);
      atomicAdd(&counters[bin * kCopies + lane_id() % kCopies], 1u);
    }
  }
  /// All lanes' counters of a bin. Each lane begins with another copy, and so in another bank.
  __device__ unsigned sum(unsigned bin) const {
    unsigned sum = 0;
#pragma unroll 8
    for (unsigned i = 0; i < kCopies; ++i) {
      sum += counters[bin * kCopies + (i + lane_id()) % kCopies];
    }
    return sum;
  }
};

/// The keys, read 16 bytes at a time from the first such boundary on.
template <class Key>
struct KeyVectors {
  static constexpr unsigned kKeys = 16 / sizeof(Key);
  struct alignas(16) Vector {
    Key key[kKeys];
  };
  const Key* keys;
  std::size_t n;

  __device__ std::size_t head() const {  // the keys before the boundary
    const std::size_t misaligned = reinterpret_cast<std::size_t>(keys) % 16 / sizeof(Key);
    const std::size_t head = misaligned == 0 ? 0 : kKeys - misaligned;
    return head < n ? head : n;
  }
  __device__ std::size_t vectors() const { return (n - head()) / kKeys; }
  __device__ std::size_t tail() const { return head() + vectors() * kKeys; }
  __device__ Vector operator[](std::size_t v) const {
    return reinterpret_cast<const Vector*>(keys + head())[v];
  }
};

/// A thread's share of the keys: counts their digits, and looks whether they are in order.
template <class Bits, std::size_t kMostBytes>
struct KeyCounter {
  using Vector = typename KeyVectors<Bits>::Vector;
  static constexpr unsigned kAtOnce = 4;

  KeyVectors<Bits> in;
  KeyMap<Bits> key_map;
  BinCounters<Bits, kMostBytes> bins;
  bool sorted = true;
  bool is_wide = false;
  Bits least = ~Bits{0};
  Bits greatest = 0;
  Bits any = 0;  // of all keys, as they are given

  __device__ __forceinline__ Bits radix_bits(Bits key) const { return key_map.ordered(key); }

  /// Extends the range to a key, as long as it may save passes.
  __device__ __forceinline__ void extend_range(Bits bits) {
    constexpr unsigned kTwoDigits = 8 * sizeof(Bits) - 2 * kDigitBits;
    least = min(least, bits);
    greatest = max(greatest, bits);
    is_wide = (greatest >> kTwoDigits) - (least >> kTwoDigits) >= kBins;
  }

  /// Extends the plan's range to those of all threads.
  __device__ __forceinline__ void add_range_to(Plan<kPasses<Bits>>& plan) {
    __shared__ Bits s_least[kPlanThreads / kWarp];
    __shared__ Bits s_greatest[kPlanThreads / kWarp];
    find_warp_range(least, greatest);
    if (lane_id() == 0) {
      s_least[warp_id()] = least;
      s_greatest[warp_id()] = greatest;
    }
    __syncthreads();
    if (warp_id() > 0) return;
    least = s_least[lane_id()];
    greatest = s_greatest[lane_id()];
    find_warp_range(least, greatest);
    if (lane_id() == 0) {
      atomicMax(&plan.least_flipped, ~static_cast<unsigned long long>(least));
      atomicMax(&plan.greatest, static_cast<unsigned long long>(greatest));
    }
  }

  /// Whether keys are floats whose low digits may be zeros before they are ordered (first_pass_of).
  __device__ __forceinline__ bool are_floats() const {
    return key_map.flip_if_negative != 0 && key_map.rotation == 0;
  }

  /// The digits that are not zeros in some key of the warp, a bit for each.
  __device__ __forceinline__ unsigned float_digits() const {
    unsigned digits = 0;
#pragma unroll
    for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
      digits |= unsigned{digit_at(any, pass * kDigitBits) != 0} << pass;
    }
    return __reduce_or_sync(kAllLanes, digits);
  }

  /// A few vectors, `threads` apart from number `first` on.
  __device__ __forceinline__ void count_vectors(std::size_t first, std::size_t threads,
                                                std::size_t head, std::size_t vectors) {
    Vector vector[kAtOnce];
#pragma unroll
    for (unsigned u = 0; u < kAtOnce; ++u) {
      if (first + u * threads < vectors) vector[u] = in[first + u * threads];
    }
#pragma unroll
    for (unsigned u = 0; u < kAtOnce; ++u) {
      const std::size_t v = first + u * threads;
      if (v < vectors) {
#pragma unroll
        for (unsigned k = 0; k < in.kKeys; ++k) {
          bins.count(radix_bits(vector[u].key[k]));
          any |= vector[u].key[k];
        }
        if (sorted) check_order(vector[u], head + v * in.kKeys);
        if (!is_wide) {
#pragma unroll
          for (unsigned k = 0; k < in.kKeys; ++k) extend_range(radix_bits(vector[u].key[k]));
        }
      }
    }
  }

  /// Looks at a vector that begins at place i, and at the key before it.
  __device__ __forceinline__ void check_order(const Vector& vector, std::size_t i) {
    auto before = radix_bits(in.keys[i == 0 ? 0 : i - 1]);
#pragma unroll
    for (unsigned k = 0; k < in.kKeys; ++k) {
      const auto bits = radix_bits(vector.key[k]);
      sorted = sorted && before <= bits;
      before = bits;
    }
  }

  /// The few keys before the first boundary and after the last: one for each of the first threads.
  __device__ __forceinline__ void count_edge(std::size_t me, std::size_t head) {
    const std::size_t edge = head + (in.n - in.tail());
    if (me < edge) {
      const std::size_t i = me < head ? me : in.tail() + (me - head);
      const auto bits = radix_bits(in.keys[i]);
      bins.count(bits);
      any |= in.keys[i];
      extend_range(bits);
      sorted = sorted && (i == 0 || radix_bits(in.keys[i - 1]) <= bits);
    }
  }
};

/// Counts the digits of this block's share of the keys, finds their range, and looks whether they are in order.
template <class Bits, std::size_t kMostBytes>
__device__ void count_keys(KeyVectors<Bits> in, KeyMap<Bits> key_map,
                           BinCounters<Bits, kMostBytes> bins, Plan<kPasses<Bits>>& plan) {
  using Counter = KeyCounter<Bits, kMostBytes>;
  const std::size_t threads = std::size_t{gridDim.x} * kPlanThreads;
  const std::size_t me = std::size_t{blockIdx.x} * kPlanThreads + threadIdx.x;
  const std::size_t head = in.head();
  const std::size_t vectors = in.vectors();
  Counter counter{in, key_map, bins};
  for (std::size_t first = me; first - lane_id() < vectors; first += Counter::kAtOnce * threads) {
    counter.count_vectors(first, threads, head, vectors);
    // If one lane has found that the range is of no use, the others need not go on.
    counter.is_wide = __ballot_sync(kAllLanes, counter.is_wide) != 0;
  }
  counter.count_edge(me, head);
  if (!counter.sorted) plan.is_unsorted = 1;
  __shared__ unsigned s_float_digits[kPlanThreads / kWarp];
  if (counter.are_floats()) s_float_digits[warp_id()] = counter.float_digits();
  if (__syncthreads_or(counter.is_wide)) {
    if (threadIdx.x == 0) plan.is_wide = 1;
  } else {
    counter.add_range_to(plan);
  }
  if (counter.are_floats() && warp_id() == 0) {
    const unsigned digits = __reduce_or_sync(kAllLanes, s_float_digits[lane_id()]);
    if (lane_id() == 0) atomicOr(&plan.float_digits, digits);
  }
}

/// From where on the numbers that keys' upper bits make are few.
struct UpperDigits {
  unsigned long long least;  // of all keys, or 0 if all passes are needed
  unsigned first;            // the pass from whose digit on they are less than kBins apart

  template <unsigned kPassCount>
  __device__ __forceinline__ static UpperDigits of(const Plan<kPassCount>& plan) {
    const unsigned long long least = ~__ldcg(&plan.least_flipped);
    const unsigned long long greatest = __ldcg(&plan.greatest);
    if (__ldcg(&plan.is_wide) != 0) return {0, kPassCount - 1};
    unsigned first = 0;
    while ((greatest >> first * kDigitBits) - (least >> first * kDigitBits) >= kBins) ++first;
    return {least, first};
  }
  /// The bin of a pass that the least number is in: other bins follow, and at last those below.
  __device__ __forceinline__ unsigned first_bin(unsigned pass) const {
    return pass < first ? 0 : digit_at(least, pass * kDigitBits);
  }
};

/// Turns the counts of all bins into first places, one thread per bin, a few passes at a time. Finds the
/// heaviest bin of each pass: s_heaviest holds its count and, in the low digit, its number.
template <unsigned kPassCount>
__device__ __forceinline__ void place_bins(Plan<kPassCount>& plan, std::size_t n, UpperDigits upper,
                                           unsigned long long* s_warp_sums,
                                           unsigned long long* s_heaviest) {
  constexpr unsigned kAtOnce = kPlanThreads / kBins;
  constexpr unsigned kWarps = kBins / kWarp;  // of one pass
  __shared__ unsigned long long s_before_first[kAtOnce];
  for (unsigned group = 0; group < kPassCount; group += kAtOnce) {
    const unsigned pass = group + threadIdx.x / kBins;
    const unsigned bin = threadIdx.x % kBins;
    const unsigned long long count = __ldcg(&plan.counts[pass][bin]);
    const unsigned long long up_to_here = warp_inclusive_scan(count);
    if (lane_id() == kWarp - 1) s_warp_sums[warp_id()] = up_to_here;
    __syncthreads();
    unsigned long long place = up_to_here - count;
    for (unsigned w = warp_id() / kWarps * kWarps; w < warp_id(); ++w) place += s_warp_sums[w];
    const unsigned first_bin = upper.first_bin(pass);
    if (bin == first_bin) s_before_first[pass % kAtOnce] = place;
    if (count > n / kHeavyShare) atomicMax(&s_heaviest[pass], count << kDigitBits | bin);
    __syncthreads();
    const unsigned long long before_first = s_before_first[pass % kAtOnce];
    plan.first_place[pass][bin] =
        bin < first_bin ? place + (n - before_first) : place - before_first;
  }
}

/// The first pass that floats may need: the low digits that are zeros in all of them, as in those that were whole numbers
/// or had fewer bits, only show the sign when they are ordered, as the last pass does anyway.
template <unsigned kPassCount>
__device__ __forceinline__ unsigned first_pass_of(const Plan<kPassCount>& plan, UpperDigits upper) {
  const unsigned digits = __ldcg(&plan.float_digits);
  return digits == 0 ? 0
                     : min(static_cast<unsigned>(__ffs(static_cast<int>(digits))) - 1, upper.first);
}

/// Picks the passes that are needed: none if the keys are in order, else those from the first on whose digit is not the
/// same in all keys, up to the first upper one. With a source of its own, the first of an odd number goes to the data, so
/// that the last one does, too. One thread.
template <unsigned kPassCount>
__device__ __forceinline__ void pick_passes(Plan<kPassCount>& plan, std::size_t n,
                                            bool has_own_source, UpperDigits upper,
                                            const unsigned long long* s_heaviest) {
  unsigned needed = 0;
  unsigned last = 0;
  unsigned passes = 0;
  const unsigned first = first_pass_of(plan, upper);
  for (unsigned pass = 0; pass < kPassCount; ++pass) {
    const unsigned long long heaviest = s_heaviest[pass];
    const bool is_needed = plan.is_unsorted != 0 && first <= pass && pass <= upper.first &&
                           heaviest >> kDigitBits != n;
    passes |= unsigned{is_needed} << pass;
    plan.passes[pass] = {.is_needed = is_needed,
                         .is_first = needed == 0,
                         .is_last = false,
                         .from_alternate = needed % 2 == 1,
                         .sweep = needed,
                         .first_shift = min(first, pass) * kDigitBits,
                         .heavy_bin = heaviest == 0 ? kBins : unsigned(heaviest % kBins)};
    if (is_needed) {
      ++needed;
      last = pass;
    }
  }
  plan.needed = passes;
  plan.passes[last].is_last = true;
  const bool is_odd = needed % 2 == 1;
  if (is_odd && has_own_source) {
    for (PassPlan& pass : plan.passes) pass.from_alternate = !pass.from_alternate;
  }
  plan.ends_in = needed == 0                 ? EndsIn::source
                 : is_odd && !has_own_source ? EndsIn::alternate
                                             : EndsIn::data;
}

/// Turns the counts into first places, and picks the passes needed.
template <unsigned kPassCount>
__device__ void plan_passes(Plan<kPassCount>& plan, std::size_t n, bool has_own_source) {
  __shared__ unsigned long long s_warp_sums[kPlanThreads / kWarp];
  __shared__ unsigned long long s_heaviest[kPassCount];
  if (threadIdx.x < kPassCount) s_heaviest[threadIdx.x] = 0;
  const auto upper = UpperDigits::of(plan);
  place_bins(plan, n, upper, s_warp_sums, s_heaviest);
  if (threadIdx.x == 0) {
    pick_passes(plan, n, has_own_source, upper, s_heaviest);
    plan.blocks_done = 0;  // for the next kernel
  }
}

/// Counts the digits of all passes, plans them, and clears the look-back's words. Says whether this block has planned.
template <std::size_t kMostBytes = kCounterBytes, class Bits>
__device__ __forceinline__ bool count_and_plan(const Bits* keys, bool has_own_source,
                                               KeyMap<Bits> key_map, std::size_t n,
                                               Plan<kPasses<Bits>>* plan, uint4* words,
                                               std::size_t word_vectors) {
  const BinCounters<Bits, kMostBytes> bins{reinterpret_cast<unsigned*>(dynamic_shared())};
  bins.clear();
  for (std::size_t i = std::size_t{blockIdx.x} * kPlanThreads + threadIdx.x; i < word_vectors;
       i += std::size_t{gridDim.x} * kPlanThreads) {
    words[i] = uint4{0, 0, 0, 0};
  }
  __syncthreads();
  count_keys(KeyVectors<Bits>{keys, n}, key_map, bins, *plan);
  for (unsigned bin = threadIdx.x; bin < bins.kBinsInAll; bin += kPlanThreads) {
    const unsigned count = bins.sum(bin);
    if (count > 0) {
      atomicAdd(&plan->counts[bin / kBins][bin % kBins], static_cast<unsigned long long>(count));
    }
  }
  if (!is_last_block(&plan->blocks_done)) return false;
  plan_passes(*plan, n, has_own_source);
  return true;
}

/// Lets passes go on that wait for the plan, not for the kernel that makes it. All threads of the block that has planned.
/// The sort may end before that kernel does, and the next one clear the workspace: so none of its blocks may use memory
/// behind this, nor behind having said that it is done.
template <unsigned kPassCount>
__device__ __forceinline__ void let_passes_start(Plan<kPassCount>& plan) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&plan.is_ready, 1u);
}

/// Plans the passes whose bits are set in `passes`, after `sweeps` others, and says where they leave the items.
template <unsigned kPassCount>
__device__ EndsIn set_passes(PassPlan (&plans)[kPassCount], unsigned passes, unsigned sweeps) {
  const unsigned first = __ffs(static_cast<int>(passes)) - 1;
  const unsigned last = 31 - __clz(static_cast<int>(passes));
  for (unsigned pass = 0; pass < kPassCount; ++pass) {
    PassPlan& it = plans[pass];
    it.is_needed = passes >> pass & 1;
    it.is_first = sweeps == 0;
    it.is_last = passes != 0 && pass == last;
    it.from_alternate = sweeps % 2 == 1;
    it.sweep = sweeps;
    it.first_shift = first * kDigitBits;
    sweeps += it.is_needed;
  }
  return sweeps % 2 == 1 ? EndsIn::alternate : EndsIn::data;
}

// A key that most items are is taken out of a sort of keys alone: the others alone are swept (common_key.cuh).
//
// The plan's counts show that there is such a key, without another read: each pass has a bin that most keys are in,
// and at most so many keys differ from the key of these digits as these bins miss in all.

/// The others are few: less than this part of all.
constexpr unsigned kFewOthers = 4;

/// Whether three quarters of n items or more are one key, by the plan's counts.
template <class Bits>
__device__ __forceinline__ bool has_common_key(const Plan<kPasses<Bits>>& plan, std::size_t n) {
  unsigned long long missed = 0;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    const unsigned bin = plan.passes[pass].heavy_bin;
    if (bin == kBins) return false;
    missed += n - __ldcg(&plan.counts[pass][bin]);
  }
  const bool is_in_order = plan.ends_in == EndsIn::source;
  return !is_in_order && missed < n / kFewOthers;
}

/// Takes a common key out of the plan, if there is one: no pass is needed then but those over the others, and the result
/// will be in the data. One thread.
template <class Bits>
__device__ __forceinline__ void plan_common_key(Plan<kPasses<Bits>>& plan, std::size_t n) {
  if (!has_common_key<Bits>(plan, n)) return;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    plan.passes_over_others |= unsigned{plan.passes[pass].is_needed} << pass;
    plan.passes[pass].is_needed = false;
  }
  plan.ends_in = EndsIn::data;
  plan.has_common_key = 1;
}

/// Counts and plans for sweeps, in a kernel of another sort.
template <class Bits, class Value = NoValue>
struct BeforeSweeps {
  static constexpr std::size_t kBytes = BinCounters<Bits>::kBytes;
  Arrays<Bits, Value> arrays;
  std::size_t n;
  Plan<kPasses<Bits>>* plan;
  uint4* words;
  std::size_t word_vectors;

  BeforeSweeps() = default;
  BeforeSweeps(const Sweeps<Bits, Value>& it, const Arrays<Bits, Value>& arrays)
      : arrays(arrays),
        n(it.n),
        plan(it.space.d_plan),
        words(reinterpret_cast<uint4*>(it.space.d_words)),
        word_vectors(it.portions.tiles * kBins / 4) {}

  /// All blocks of a grid call it, of kPlanThreads threads and kBytes of shared memory. Says whether this one has planned.
  __device__ __forceinline__ bool count_and_plan() const {
    return sweep::count_and_plan(arrays.source.keys, arrays.has_own_source(), arrays.key_map, n,
                                 plan, words, word_vectors);
  }
  /// The same for keys alone, of which a common one is left out of the plan: AfterSweeps::finish() must follow the sweeps.
  __device__ __forceinline__ void plan_with_common_key() const {
    if (!count_and_plan()) return;
    __syncthreads();
    if (threadIdx.x == 0) plan_common_key<Bits>(*plan, n);
    let_passes_start(*plan);
  }
};

/// The blocks that count and plan n items: one an SM, or fewer if there are few keys for a thread.
inline std::size_t plan_blocks(std::size_t n) {
  constexpr std::size_t kKeysAThread = 8;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  return std::min(sms, ceil_div(n, kPlanThreads * kKeysAThread));
}

/// Launches a kernel that calls count_and_plan, with the arguments for this and further ones.
template <class Bits, class Value, class... Parameters, class... Arguments>
void launch_plan(std::string_view name, void (*kernel)(Parameters...), std::size_t shared_bytes,
                 const Arrays<Bits, Value>& arrays, std::size_t n,
                 const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                 cudaStream_t stream, const Arguments&... arguments) {
  check(cudaMemsetAsync(space.d_plan, 0, space.cleared_bytes, stream), "cudaMemsetAsync");
  // Not early: when it begins, the counters of tiles have to be zero.
  launch(name, kernel, {plan_blocks(n), kPlanThreads, shared_bytes}, stream, arrays.source.keys,
         arrays.has_own_source(), arrays.key_map, n, space.d_plan,
         reinterpret_cast<uint4*>(space.d_words), cut.tiles * kBins / 4, arguments...);
}

}  // namespace sortlab::gpu::sweep

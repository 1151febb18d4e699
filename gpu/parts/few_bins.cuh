// Counts and scatters a part's keys by a few bins, found by comparisons alone: no table, no search, no atomics.
//
// A block has a chunk of the part. The chunks' counts of all bins are known before the scatter, so a block knows where its own
// run of each bin begins. Keys alone need not stay in order.
//
//   thread    its keys of the tile:  b a b c         counts of all bins in a register or two; a byte for each key has its bin and
//             its numbers in the bin 0 0 1 0          its number there
//   warp      sums of the lanes before               by shuffles of the same registers
//   slots     a a a . b b b b c c . .                by bin, each run from where its target's line has room
//   targets   ...aaa|  ..bbbb|  cc..|                whole lines of 32 keys, 16 bytes a thread
//
// Runs are laid out in shared memory as they will lie in the lines of the target: NVLink is slower for stores across two lines.
//
// What is here needs no CUDA header, so that tests run it on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/utils.hpp"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::parts {

constexpr unsigned kMostFewBins = 8;

/// How a block works.
template <class Bits>
struct FewPolicy {
  static constexpr unsigned kThreads = 512;
  static constexpr unsigned kBlocks = 2;  // an SM
  static constexpr unsigned kVector = 16 / sizeof(Bits);
  static constexpr unsigned kVectors = 6;  // a thread
  static constexpr unsigned kItems = kVector * kVectors;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kTile = kThreads * kItems;
};

/// The greatest ordered key of each bin but the last; of bins that there are not, the greatest of all.
template <class Bits>
struct FewBins {
  unsigned count;
  Bits last[kMostFewBins - 1];
};
/// Where a block's next key of each bin goes; nowhere, if its keys are left out.
template <class Bits>
struct FewTargets {
  Bits* to[kMostFewBins];
};

/// Keys that lie side by side, as they are loaded and stored.
template <class Bits>
struct alignas(16) FewKeys {
  Bits key[FewPolicy<Bits>::kVector];
};

/// The tile of `count` keys at `keys`: a thread's vectors, each of which is a block's width behind the one before.
template <class Bits>
__device__ __forceinline__ void load_few(const Bits* keys, unsigned count,
                                         FewKeys<Bits> (&tile)[FewPolicy<Bits>::kVectors]) {
  using Policy = FewPolicy<Bits>;
  if (count == Policy::kTile && reinterpret_cast<std::uintptr_t>(keys) % 16 == 0) {
#pragma unroll
    for (unsigned v = 0; v < Policy::kVectors; ++v) {
      tile[v] = reinterpret_cast<const FewKeys<Bits>*>(keys)[v * Policy::kThreads + threadIdx.x];
    }
    return;
  }
#pragma unroll
  for (unsigned v = 0; v < Policy::kVectors; ++v) {
#pragma unroll
    for (unsigned k = 0; k < Policy::kVector; ++k) {
      const unsigned i = (v * Policy::kThreads + threadIdx.x) * Policy::kVector + k;
      tile[v].key[k] = i < count ? keys[i] : Bits{};
    }
  }
}
/// Calls use(u, key) with a thread's keys of a tile of `count`, each with its number among them.
template <class Bits, class Use>
__device__ __forceinline__ void for_each_of_few(
    const FewKeys<Bits> (&tile)[FewPolicy<Bits>::kVectors], unsigned count, Use use) {
  using Policy = FewPolicy<Bits>;
  const bool is_full = count == Policy::kTile;
#pragma unroll
  for (unsigned v = 0; v < Policy::kVectors; ++v) {
#pragma unroll
    for (unsigned k = 0; k < Policy::kVector; ++k) {
      const unsigned i = (v * Policy::kThreads + threadIdx.x) * Policy::kVector + k;
      if (is_full || i < count) use(v * Policy::kVector + k, tile[v].key[k]);
    }
  }
}

/// Numbers of `kBits` bits for each of kBins bins, in as many words as they need.
template <unsigned kBins, unsigned kBits>
struct FewNumbers {
  using Word = std::conditional_t<kBins * kBits <= 32, std::uint32_t, std::uint64_t>;
  static constexpr unsigned kInAWord = 8 * sizeof(Word) / kBits;
  static constexpr unsigned kWords = (kBins + kInAWord - 1) / kInAWord;
  Word words[kWords] = {};

  __device__ __forceinline__ unsigned of(unsigned bin) const {
    const Word word = kWords == 1 || bin < kInAWord ? words[0] : words[kWords - 1];
    return static_cast<unsigned>(word >> (bin % kInAWord * kBits)) & ((1u << kBits) - 1);
  }
  __device__ __forceinline__ void add(unsigned bin, Word number) {
    static_assert(kWords <= 2);
    words[kWords == 1 || bin < kInAWord ? 0 : kWords - 1] += number << (bin % kInAWord * kBits);
  }
};
static_assert(kMostFewBins * 8 <= 64 && FewNumbers<kMostFewBins, 16>::kWords == 2);
static_assert(FewPolicy<std::uint32_t>::kTile + 2 * kWarp * kMostFewBins < 1u << 16);

/// Of each of a thread's keys its bin, and how many keys the thread has in that bin before it: a byte.
template <class Bits>
struct FewPlaces {
  static constexpr unsigned kInAWord = 4, kBinBits = 3;
  static_assert(kMostFewBins <= 1u << kBinBits && FewPolicy<Bits>::kItems <= 256u >> kBinBits &&
                FewPolicy<Bits>::kItems % kInAWord == 0);
  unsigned words[FewPolicy<Bits>::kItems / kInAWord] = {};

  __device__ __forceinline__ void put(unsigned u, unsigned bin, unsigned before) {
    words[u / kInAWord] |= (before << kBinBits | bin) << (u % kInAWord * 8);
  }
  __device__ __forceinline__ unsigned byte(unsigned u) const {
    return words[u / kInAWord] >> (u % kInAWord * 8) & 0xff;
  }
  __device__ __forceinline__ unsigned bin(unsigned u) const {
    return byte(u) & ((1u << kBinBits) - 1);
  }
  __device__ __forceinline__ unsigned before(unsigned u) const { return byte(u) >> kBinBits; }
};

/// The bins of a part's keys.
template <unsigned kBinsT, class Bits>
struct FewSearch {
  static constexpr unsigned kBins = kBinsT;
  const FewBins<Bits>& bins;
  KeyMap<Bits> key_map;

  __device__ __forceinline__ unsigned operator()(Bits raw) const {
    const Bits ordered = key_map.ordered(raw);
    unsigned bin = 0;
#pragma unroll
    for (unsigned b = 0; b + 1 < kBins; ++b) bin += ordered > bins.last[b];
    return bin;
  }
};

/// Adds the keys of a tile to a thread's counts: of the keys behind each bin's last.
template <unsigned kBins, class Bits>
__device__ __forceinline__ void count_few_tile(
    const FewKeys<Bits> (&tile)[FewPolicy<Bits>::kVectors], unsigned count, KeyMap<Bits> key_map,
    const FewBins<Bits>& bins, unsigned (&behind)[kBins]) {
  for_each_of_few(tile, count, [&](unsigned, Bits raw) {
    const Bits key = key_map.ordered(raw);
    ++behind[0];
#pragma unroll
    for (unsigned b = 1; b < kBins; ++b) behind[b] += key > bins.last[b - 1];
  });
}

/// A block's run of a bin in its tile: slots from begin to end, of which `origin + slot` is the target.
template <class Bits>
struct FewRun {
  Bits* origin;
  unsigned begin;
  unsigned end;
};

/// The shared memory of a block.
template <unsigned kBins, class Bits>
struct FewSpace {
  using Policy = FewPolicy<Bits>;
  /// A run begins up to 31 slots behind a line's begin, and is filled up to a whole line.
  static constexpr unsigned kSlots = Policy::kTile + 2 * kWarp * kBins;

  alignas(16) Bits slots[kSlots];
  FewNumbers<kBins, 16> warps[Policy::kWarps];  // keys of each warp
  FewRun<Bits> runs[kBins];
  Bits* targets[kBins];
};

template <unsigned kBins>
__device__ __forceinline__ FewNumbers<kBins, 16> sum_of_lanes_up_to_here(FewNumbers<kBins, 16> mine,
                                                                         unsigned lanes) {
  for (auto& word : mine.words) {
#pragma unroll
    for (unsigned distance = 1; distance < kWarp; distance *= 2) {
      if (distance >= lanes) break;
      const auto before = __shfl_up_sync(kAllLanes, word, distance);
      if (lane_id() >= distance) word += before;
    }
  }
  return mine;
}

/// Finds the places of a thread's keys, and the slots of the first in each bin. Writes the tile's runs. One barrier, after which
/// the slots of the tile before are free.
template <class Search, unsigned kBins, class Bits>
__device__ __forceinline__ FewNumbers<kBins, 16> first_slots(
    const FewKeys<Bits> (&tile)[FewPolicy<Bits>::kVectors], unsigned count, const Search& search,
    FewPlaces<Bits>& places, FewSpace<kBins, Bits>& s) {
  using Policy = FewPolicy<Bits>;
  FewNumbers<kBins, 8> own;
  for_each_of_few(tile, count, [&](unsigned u, Bits raw) {
    const unsigned bin = search(raw);
    places.put(u, bin, own.of(bin));
    own.add(bin, 1);
  });
  FewNumbers<kBins, 16> wide;
#pragma unroll
  for (unsigned b = 0; b < kBins; ++b) wide.add(b, own.of(b));
  const auto up_to_here = sum_of_lanes_up_to_here(wide, kWarp);
  if (lane_id() == kWarp - 1) s.warps[warp_id()] = up_to_here;
  __syncthreads();
  // Each warp adds up the counts of all.
  const auto up_to_warp =
      sum_of_lanes_up_to_here(s.warps[lane_id() % Policy::kWarps], Policy::kWarps);
  FewNumbers<kBins, 16> first;
#pragma unroll
  for (unsigned w = 0; w < first.kWords; ++w) {
    const auto before =
        __shfl_sync(kAllLanes, up_to_warp.words[w], warp_id() == 0 ? 0 : warp_id() - 1);
    first.words[w] = up_to_here.words[w] - wide.words[w] + (warp_id() == 0 ? 0 : before);
  }
  FewNumbers<kBins, 16> all;
#pragma unroll
  for (unsigned w = 0; w < all.kWords; ++w) {
    all.words[w] = __shfl_sync(kAllLanes, up_to_warp.words[w], Policy::kWarps - 1);
  }
  unsigned line = 0;
#pragma unroll
  for (unsigned b = 0; b < kBins; ++b) {
    Bits* const target = s.targets[b];
    const unsigned lead =
        static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(target) / sizeof(Bits) % kWarp);
    const unsigned begin = line + lead, of_bin = all.of(b);
    first.add(b, begin);
    if (threadIdx.x == b) {
      s.runs[b] = {target - begin, begin, target == nullptr ? 0 : begin + of_bin};
    }
    if (of_bin > 0) line = round_up(begin + of_bin, kWarp);
  }
  return first;
}

/// Writes the runs of a tile to their targets, which have moved on afterwards.
template <unsigned kBins, class Bits>
__device__ __forceinline__ void store_runs(FewSpace<kBins, Bits>& s) {
  using Policy = FewPolicy<Bits>;
  constexpr unsigned kVector = Policy::kVector;
  for (unsigned b = 0; b < kBins; ++b) {
    const FewRun<Bits> run = s.runs[b];
#pragma unroll 4
    for (unsigned slot = run.begin / kVector * kVector + threadIdx.x * kVector; slot < run.end;
         slot += Policy::kThreads * kVector) {
      const auto keys = *reinterpret_cast<const FewKeys<Bits>*>(s.slots + slot);
      if (slot >= run.begin && slot + kVector <= run.end) {
        *reinterpret_cast<FewKeys<Bits>*>(run.origin + slot) = keys;
        continue;
      }
#pragma unroll
      for (unsigned k = 0; k < kVector; ++k) {
        if (slot + k >= run.begin && slot + k < run.end) run.origin[slot + k] = keys.key[k];
      }
    }
  }
  if (threadIdx.x < kBins && s.targets[threadIdx.x] != nullptr) {
    const FewRun<Bits> run = s.runs[threadIdx.x];
    s.targets[threadIdx.x] += run.end - run.begin;
  }
}

/// Scatters the keys [first, end) of a part, tile by tile. All threads must have passed a barrier since the targets were written.
template <class Search, class Bits>
__device__ __forceinline__ void scatter_few_keys(const Bits* keys, std::size_t first,
                                                 std::size_t end, const Search& search,
                                                 FewSpace<Search::kBins, Bits>& s) {
  using Policy = FewPolicy<Bits>;
  const auto count_from = [=](std::size_t at) {
    if (at >= end) return 0u;
    return static_cast<unsigned>(end - at < Policy::kTile ? end - at : Policy::kTile);
  };
  FewKeys<Bits> tile[Policy::kVectors];
  load_few(keys + first, count_from(first), tile);
  for (; first < end; first += Policy::kTile) {
    const unsigned count = count_from(first);
    FewPlaces<Bits> places;
    const auto slots = first_slots(tile, count, search, places, s);
    for_each_of_few(tile, count, [&](unsigned u, Bits raw) {
      s.slots[slots.of(places.bin(u)) + places.before(u)] = raw;
    });
    __syncthreads();
    load_few(keys + first + Policy::kTile, count_from(first + Policy::kTile), tile);
    store_runs(s);
  }
}

}  // namespace sortlab::gpu::parts

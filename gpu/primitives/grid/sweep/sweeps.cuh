// The passes of gpu/radix/onesweep as functions, for sorts that do more than sweep: sorts that leave uneven keys to the
// passes (radix/msd_hybrid, radix/small), and one whose passes stop above the low digits (radix/top_sweep).
//
//     kernel of the sort     counts the digits and plans the passes (sweep/pass_plan.cuh)
//     Sweeps::sweep          a launch for each pass that is planned; those that are not are over at once
//     kernel of the sort     looks in the plan where the items are, and brings them home, or calls AfterSweeps::finish()
//
// sweeps.cu has the functions, which are compiled once for each width of keys and values. How a pass works is in
// sweep/partition_tile.cuh.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "common/utils.hpp"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::sweep {

constexpr unsigned kDigitBits = 8;
constexpr unsigned kBins = 1u << kDigitBits;

/// The passes for a key, one per digit.
template <class Key>
constexpr unsigned kPasses = 8 * sizeof(Key) / kDigitBits;

template <class Bits>
__device__ __forceinline__ unsigned digit_at(Bits bits, unsigned shift) {
  return static_cast<unsigned>(bits >> shift) % kBins;
}

/// What a pass has to know before it starts. One read fetches it.
struct alignas(16) PassPlan {
  bool is_needed;
  bool is_first;  // of those needed: its keys are not yet radix bits
  bool is_last;   // of those needed: it leaves keys again
  bool
      from_alternate;  // to data; else from data to alternate. The first reads the source in any case
  unsigned sweep;      // the number of this pass among those needed
  unsigned first_shift;  // bits below are not sorted by, or the same in all keys
  unsigned heavy_bin;    // one that holds many of the keys, or kBins
};

/// Whether two arrays of items are one.
template <class Bits, class Value>
SORTLAB_HD bool are_same(const Items<Bits, Value>& a, const Items<Bits, Value>& b) {
  return a.keys == b.keys && a.values == b.values;
}

/// The arrays of a sort. The items are in `source`, which stays as it is unless it is `data`; pairs without
/// values there get their places as values. The result is in `data` at the end.
template <class Bits, class Value>
struct Arrays {
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  Items<Bits, Value> source;
  Items<Bits, Value> data;
  Items<Bits, Value> alternate;
  KeyMap<Bits> key_map;

  /// Whether the data may be written before the source is read.
  SORTLAB_HD bool has_own_source() const {
    if constexpr (kPairs) {
      if (source.values == data.values) return false;
    }
    return source.keys != data.keys;
  }
  /// The item at place i of the source.
  SORTLAB_HD auto given(std::size_t i) const {
    if constexpr (kPairs) {
      return Item<Bits, Value>{source.keys[i],
                               source.values == nullptr ? static_cast<Value>(i) : source.values[i]};
    } else {
      return source[i];
    }
  }
};

/// Where the passes that are planned leave the items: of no passes in the source.
enum class EndsIn : unsigned { data, alternate, source };

template <unsigned kPassCount>
struct Plan {
  // Set to zero before the first kernel.
  unsigned long long counts[kPassCount][kBins];
  unsigned blocks_done;
  unsigned is_unsorted;
  unsigned
      is_wide;  // whether the top digits of some keys are far apart; else the range of all keys:
  unsigned long long greatest;
  unsigned long long least_flipped;  // its bits, so that zero is the least before
  unsigned
      float_digits;  // of floats: a bit for each digit that is not zero in all keys, as they are given
  // Of a common key that is taken out (common_key.cuh): if there is one, a bit for each pass over the other keys; tiles,
  // whether all are done, and the other keys.
  unsigned has_common_key;
  unsigned passes_over_others;
  unsigned parts_taken;
  unsigned parts_done;
  unsigned is_parted;
  unsigned is_ready;  // all of the plan: for a pass that starts while it is made
  unsigned long long others;
  unsigned long long below;  // the common key
  // Written by the last block.
  unsigned long long first_place[kPassCount][kBins];  // where the items of each bin begin
  unsigned needed;  // a bit for each pass over all items that is needed
  PassPlan passes[kPassCount];
  EndsIn ends_in;
};

/// How n items are cut: tiles into portions, each swept by a launch a pass. The portions of a pass
/// take turns with the same look-back words, kBins for each tile of one, so that the words of all
/// take at most a sixtieth of the items' bytes. Another portion costs as long as a tile takes, in each pass.
/// measured: u32+u32, 64 million, ms: 2.38 (one portion) vs 2.44 (two); H100, h100/attempts/sweeps.1.txt
struct Portions {
  // The sorts' own tiles then need one portion.
  static constexpr std::size_t kItemBytesAWordByte = 60;
  static constexpr std::size_t kFewTiles = 2048;  // 2 MB of words: not worth another launch
  static constexpr std::size_t kMostItems = (std::size_t{1} << 30) - 1;  // that a word counts

  std::size_t tiles;  // in each portion but the last, which may end early
  std::size_t portions;

  Portions(std::size_t n, std::size_t item_bytes, unsigned tile_items,
           std::size_t few = kFewTiles) {
    const std::size_t all = ceil_div(n, std::size_t{tile_items});
    const std::size_t fit = n * item_bytes / kItemBytesAWordByte / (kBins * sizeof(unsigned));
    const std::size_t most = std::min(std::max(fit, few), kMostItems / tile_items);
    tiles = ceil_div(all, std::max<std::size_t>(1, ceil_div(all, most)));
    portions = tiles == 0 ? 0 : ceil_div(all, tiles);
  }
};

/// The parts of the workspace, for a sort of keys with kPassCount digits.
template <unsigned kPassCount>
struct OnesweepSpace {
  // Cleared before the first kernel: the plan, and the next tile of each launch, and how many are done.
  Plan<kPassCount>* d_plan;
  unsigned* d_next_tiles;  // for each round of all passes
  unsigned* d_tiles_done;  // the same
  std::size_t cleared_bytes;
  // The rest is cleared on the device, or written before it is read.
  unsigned* d_words;
  unsigned long long* d_places;  // where a portion's bins begin: of this portion and of the next
  std::size_t bytes;

  OnesweepSpace(std::byte* base, const Portions& cut, unsigned rounds = 1) {
    Layout layout(base);
    d_plan = layout.take<Plan<kPassCount>>(1);
    d_next_tiles = layout.take<unsigned>(rounds * kPassCount * cut.portions);
    d_tiles_done = layout.take<unsigned>(rounds * kPassCount * cut.portions);
    cleared_bytes = layout.bytes();
    d_words = layout.take<unsigned>(cut.tiles * kBins);
    d_places = layout.take<unsigned long long>(2 * kBins);
    bytes = layout.bytes();
  }
};

template <class Job>
auto arrays_of(const Job& job) {
  return Arrays<BitsOf<typename Job::Key>, typename Job::Value>{
      as_bits(job.data), as_bits(job.data), as_bits(job.alternate),
      key_map_of<typename Job::Key, Job::kOrder>()};
}

/// What passes over the upper digits alone have left, for sorts that do those over the other digits only if they must.
struct UpperPasses {
  unsigned low_bits;    // that no pass has sorted by; 0: there are none
  bool from_alternate;  // where the passes leave the items
  unsigned sweeps;      // passes done so far
  unsigned needed;      // a bit for each pass over all items that is needed
  unsigned
      are_due;  // whether the needed passes must be done after all; zero before the first kernel
};

/// The passes over n items: how these are cut, the workspace, and what is launched. The kernels in front of sweep() have made
/// cleared() zero and planned the passes; without a plan nothing is done.
template <class Bits, class Value>
struct Sweeps {
  std::size_t n;
  bool are_upper;
  Portions portions;
  OnesweepSpace<kPasses<Bits>> space;

  /// A second round is for sweep_again() or a common key (common_key.cuh). Upper passes always have tiles for many items.
  Sweeps(std::size_t n, std::byte* d_workspace, bool are_upper = false);

  /// Counts the digits, plans the passes and does them: the result is in arrays.data.
  void sort(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const;
  /// Does the passes that are planned. Where *d_at_once is not zero, the kernel makes the plan that the first pass waits
  /// for, and those behind it end at once.
  void sweep(const Arrays<Bits, Value>& arrays, cudaStream_t stream,
             const unsigned* d_at_once = nullptr) const;
  /// Does all needed passes behind upper ones, if these are due then. Then d_upper->low_bits is zero.
  void sweep_again(const Arrays<Bits, Value>& arrays, UpperPasses* d_upper,
                   cudaStream_t stream) const;

  /// What has to be zero before the passes are planned.
  unsigned* cleared() const { return reinterpret_cast<unsigned*>(space.d_plan); }
  unsigned cleared_words() const {
    return static_cast<unsigned>(space.cleared_bytes / sizeof(unsigned));
  }
};

constexpr unsigned kCopyThreads = 1024;

/// Brings the items to `home`, if the passes have left them elsewhere. All threads of the grid call it. A thread reads
/// kAtOnce items before it writes one, as the compiler can't know that the arrays are apart.
template <class Bits, class Value>
__device__ __forceinline__ void bring_home(const Arrays<Bits, Value>& arrays, std::size_t n,
                                           EndsIn ends_in, const Items<Bits, Value>& home) {
  constexpr unsigned kAtOnce = 8;
  const bool from_source = ends_in == EndsIn::source;
  const auto from = from_source               ? arrays.source
                    : ends_in == EndsIn::data ? arrays.data
                                              : arrays.alternate;
  if (are_same(from, home)) return;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; first < n;
       first += kAtOnce * threads) {
    Item<Bits, Value> items[kAtOnce];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      const std::size_t i = first + k * threads;
      if (i < n) items[k] = from_source ? arrays.given(i) : from[i];
    }
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      const std::size_t i = first + k * threads;
      if (i < n) home.put(i, items[k]);
    }
  }
}

}  // namespace sortlab::gpu::sweep

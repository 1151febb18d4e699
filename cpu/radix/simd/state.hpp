// The digits of cpu/radix/simd that follow the distribution of the keys, its kernels, and the plan of a sort.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/contract/isa.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/radix/buckets/bucket.hpp"

namespace sortlab::cpu::radix::simd {

using namespace buckets;
using primitives::simd::choose_splitters, primitives::simd::Splitters;

/// Cuts a range into parts with about equally many keys, judged by a sample. The keys are assumed
/// to be spread evenly within each of 512 cells of the range.
///
///   unit   = offset, shifted so that the range has 32 bits:  | cell, 9 bits | fraction of it |
///   digit  = start of the cell + slope of the cell * fraction, both in 2^-21 of a digit
template <class Key>
struct Curve {
  static constexpr int kFraction = 23, kPart = 21;
  static constexpr std::size_t kCells = 512;
  struct Cell {
    std::uint32_t start, slope;
  };
  Range<Key> range;
  std::uint32_t ways;
  int left, right;  // the shifts of an offset
  const Cell* cells;

  /// Writes kCells cells; `sample` is sorted and within the range.
  static Curve of(const Range<Key>& range, std::size_t ways, const Key* sample, std::size_t sampled,
                  Cell* cells) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(range.last)));
    const Curve curve{range, static_cast<std::uint32_t>(ways), std::max(0, 32 - bits),
                      std::max(0, bits - 32), cells};
    std::uint32_t counts[kCells] = {};
    for (std::size_t i = 0; i < sampled; ++i) {
      ++counts[curve.unit_of(curve.offset_of(sample[i])) >> kFraction];
    }
    // No cell counts as empty, because the sample may have missed its keys.
    constexpr double kAtLeast = 0.25;
    const std::uint32_t used = (curve.unit_of(range.last) >> kFraction) + 1;
    const double scale = (static_cast<double>(ways) * (1 << kPart) - 2.0 * kCells) /
                         (static_cast<double>(sampled) + used * kAtLeast);
    std::uint32_t start = 0;
    for (std::uint32_t c = 0; c < used; ++c) {
      cells[c] = {start, static_cast<std::uint32_t>((counts[c] + kAtLeast) * scale) + 1};
      start += cells[c].slope;
    }
    return curve;
  }
  [[gnu::always_inline]] std::uint32_t of_key(Key key) const {
    const Offset<Key> offset = offset_of(key);
    return offset > range.last ? ways : of_offset(offset);
  }
  /// The keys with that digit, if there are any.
  Range<Key> part(std::size_t digit) const {
    const Offset<Key> first = digit == 0 ? 0 : last_offset(digit - 1) + 1;
    return {static_cast<Key>(static_cast<Offset<Key>>(range.lowest) + first),
            static_cast<Offset<Key>>(last_offset(digit) - first)};
  }

 private:
  Offset<Key> offset_of(Key key) const {
    return static_cast<Offset<Key>>(key) - static_cast<Offset<Key>>(range.lowest);
  }
  std::uint32_t unit_of(Offset<Key> offset) const {
    return static_cast<std::uint32_t>((sizeof(Key) == 8 ? offset >> right : offset) << left);
  }
  std::uint32_t of_offset(Offset<Key> offset) const {
    const std::uint32_t unit = unit_of(offset);
    const Cell cell = cells[unit >> kFraction];
    const std::uint64_t fraction = static_cast<std::uint32_t>(unit << (32 - kFraction));
    return (cell.start + static_cast<std::uint32_t>(fraction * cell.slope >> 32)) >> kPart;
  }
  /// The greatest offset of that digit or a lower one.
  Offset<Key> last_offset(std::size_t digit) const {
    Offset<Key> low = 0, high = range.last;
    while (low < high) {
      const Offset<Key> mid = high - (high - low) / 2;
      if (of_offset(mid) <= digit) {
        low = mid;
      } else {
        high = mid - 1;
      }
    }
    return low;
  }
};

/// The kernels of one instruction set, for the keys of one kind.
template <class Key>
struct Calls {
  /// Whether many keys differ from the next one in memory by at most `near`. n is at least 4096.
  bool (*neighbours_are_close)(const Key* keys, std::size_t n, Offset<Key> near, Key flip);
  Range<Key> (*range_of)(const Key* keys, std::size_t n, Key flip);
  void (*distribute)(const Key* from, std::size_t n, const Digits<Key>& digits, Supply& supply,
                     ThreadState<Key>& state, Key flip, bool stream);
  void (*distribute_by_curve)(const Key* from, std::size_t n, const Curve<Key>& curve,
                              Supply& supply, ThreadState<Key>& state, Key flip, bool stream);
  /// The most bytes of keys that one thread partitions into pieces, which it sorts in slots.
  std::size_t most_bytes_in_pieces;
};

/// The kernels, compiled in units of kernels.cpp for int32_t and for int64_t. `kFloat`: the user's keys are
/// floating-point numbers.
template <class Key, bool kFloat>
Calls<Key> kernels_for(Isa isa);

// Threads share the work in buckets of about this many keys, if there are enough keys.
inline constexpr std::size_t kLeastBucket = 4096;

/// Whether n keys are sorted by pivots alone, which needs no workspace.
/// measured: u32, 1 thread, Mkeys/s: at 2^12 421 (pivots) vs 265 (slots), at 2^14 345 vs 354; xeon16,
/// radix_simd.8.txt
constexpr bool is_few(std::size_t n, std::size_t key_bytes) {
  return n * key_bytes <= std::size_t{32} << 10;
}

struct Settings {
  std::size_t bucket_bytes, stream_from_bytes;
};

/// How n keys are distributed, and the layout of the workspace.
struct Plan {
  int threads;
  std::size_t ways;
  bool stream;                                   // bypassing the caches
  std::size_t states_bytes, blocks, link_bytes;  // blocks beside those in the alternate buffer

  template <class Key>
  static Plan of(std::size_t n, int threads, const Settings& settings) {
    const auto crew = static_cast<std::size_t>(threads);
    Plan plan;
    plan.threads = threads;
    // Up to 256 buckets are worth their cost, but only if stores bypass the caches.
    // measured: 2^24 u32, 1 thread, Mkeys/s: 324 (512 ways), 338 (256 ways), 288 (128 ways); xeon16,
    // radix_simd.7.txt. Ordinary stores, 2^22 u32: 207 (8 times the ways) vs 294 (66 ways); a
    // Sapphire Rapids Xeon, no log
    constexpr std::size_t kCheapWays = 256;
    plan.stream = n * sizeof(Key) >= settings.stream_from_bytes;
    std::size_t for_cache = n * sizeof(Key) / settings.bucket_bytes + 1;
    for_cache = std::max(for_cache, std::min((plan.stream ? 8 : 2) * for_cache, kCheapWays));
    const std::size_t for_threads =
        threads == 1 ? 1 : std::clamp(n / kLeastBucket, 3 * crew, 16 * crew);
    plan.ways = std::clamp<std::size_t>(std::max(for_cache, for_threads), 4, kMostWays);
    plan.states_bytes = crew * sizeof(ThreadState<Key>);
    // A chain ends in a block that is not full, and a thread may take some that it does not need.
    plan.blocks = crew * (plan.ways + 1 + Supply::kBlocksAtATime) + 2;
    const std::size_t all_blocks = n / kBlockKeys<Key> + plan.blocks;
    plan.link_bytes = round_up(all_blocks * sizeof(std::uint32_t), kBlockBytes);
    return plan;
  }
  std::size_t bytes() const {
    return kBlockBytes + states_bytes + blocks * kBlockBytes + link_bytes;
  }
};

}  // namespace sortlab::cpu::radix::simd

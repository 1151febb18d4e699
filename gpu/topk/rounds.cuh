// The rounds of gpu/topk/tournament: what they read and leave. gpu/topk/select has its last items found by them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/variant.hpp"
#include "gpu/primitives/block/crew.cuh"
#include "gpu/primitives/rank_map.hpp"

namespace sortlab::gpu::topk {

constexpr std::uint32_t kNoPlace = 0xffffffffu;

/// What one round reads: the user's keys, or what the round before has kept, whose items have places.
template <class Bits>
struct Field {
  const Bits* keys;
  const std::uint32_t* places;  // null: the user's keys
  std::size_t stride;           // from one row's begin to the next one's
  unsigned length;              // of a row
  unsigned slices;              // of a row
  const unsigned* counts;       // of the items that each row has; null: its length

  __device__ unsigned count(std::size_t row) const {
    return counts == nullptr ? length : counts[row];
  }
};

/// And what it leaves: for each slice `room` items, of which those behind the kept ones have no place.
template <class Bits>
struct Kept {
  Bits* bits;
  std::uint32_t* places;
};

/// The result, which the last round writes.
template <class Bits>
struct Best {
  const Bits* keys;  // the user's, to be copied from where there is no way back; else null
  std::size_t stride;
  Bits* best;
  std::uint32_t* places;
  std::uint64_t* wide_places;
  unsigned room;  // from one row to the next

  /// The item of a row that has this rank.
  __device__ void write(std::size_t row, unsigned rank, const Contestant<Bits>& item,
                        const RankMap<Bits>& map) const {
    const std::size_t at = row * room + rank;
    if (best != nullptr) {
      best[at] = keys == nullptr ? map.key(item.bits) : keys[row * stride + item.place];
    }
    if (places != nullptr) places[at] = item.place;
    if (wide_places != nullptr) wide_places[at] = item.place;
  }
};

template <class Bits>
struct Round {
  Field<Bits> in;
  Kept<Bits> kept;  // null in the last round
  unsigned room;    // for what is kept of a slice
  RankMap<Bits> map;
  const std::uint32_t* ks;
  unsigned k;
  bool is_sorted;  // else the last round may leave the best in any order
  bool is_first;   // of equal ones, else any
  std::size_t rows;
  Best<Bits> best;

  __device__ unsigned k_of(std::size_t row) const { return ks == nullptr ? k : min(ks[row], k); }
};

/// The most k of play().
template <class Bits>
inline constexpr unsigned kMostSorted = sizeof(Bits) == 4 ? 16384 : 14336;

/// The most k of rows that are cut in slices.
inline constexpr std::size_t kMostInRounds = 2048;

/// At most so many more than k are left for a sort: a bound for exactly k takes longer to find.
__host__ __device__ constexpr unsigned slack_of(unsigned k) { return k / 8 + 2; }

/// Plays rounds until the best are found. It sets `kept`, `room` and the slices; k is not 0. Defined in
/// tournament/play.cu.
template <class Bits>
void play(Round<Bits> round, std::byte* d_workspace, Stream stream);
template <class Bits>
std::size_t play_bytes(std::size_t rows, std::size_t length, std::size_t k);

}  // namespace sortlab::gpu::topk

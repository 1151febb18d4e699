// The best k of short rows, in any order: a block for each row finds the k-th by counts in bins, and ranks what shares its bin.
//
//   bins of the row   . 3 . 9 12 [ 7 ] 5 . 2 ..        the bins before the k-th's are the best
//   its bin           x x x x x x x                    each is compared with the others: the rank is its place in the result
//
// Over a round: fewer steps in which threads wait for one another, and little code, which a short kernel takes long to read.
// Where all of a bin are equal, their places are counted in the same way.
// measured: 8 rows of 256 f32 as logits, k = 50, us: 5.8 (this) vs 7.3 (a round); 512 rows of 1024, k = 50: 8.7 vs 9.2; H200,
// h200/attempts/top_k.7.csv.xz
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/crew.cuh"
#include "gpu/topk/rounds.cuh"

namespace sortlab::gpu::topk {

template <unsigned kThreadsV, unsigned kItemsV>
struct ShortShape {
  static constexpr unsigned kThreads = kThreadsV, kItems = kItemsV;
};

template <class Bits, class Of>
__global__ void __launch_bounds__(Of::kThreads) play_short(Round<Bits> round) {
  constexpr unsigned kThreads = Of::kThreads, kItems = Of::kItems;
  constexpr unsigned kFew = kWarp;  // that are compared
  using OfCrew = Crew<kThreads>;
  __shared__ typename OfCrew::Shared s_crew;
  __shared__ Bits s_bits[kFew];
  __shared__ std::uint32_t s_places[kFew];
  __shared__ unsigned s_written, s_open;
  const std::size_t row = blockIdx.x;
  const unsigned length = round.in.length, thread = threadIdx.x;
  unsigned need = round.k_of(row);
  if (need == 0) return;
  const Bits* const keys = round.in.keys + row * round.in.stride;
  Bits bits[kItems];
  unsigned open = 0;  // the items that may be the k-th
#pragma unroll
  for (unsigned j = 0; j < kItems; ++j) {
    const unsigned place = j * kThreads + thread;
    bits[j] = place < length ? keys[place] : Bits{0};
    open |= place < length ? 1u << j : 0;
  }
  OfCrew crew(s_crew);
  if (thread == 0) s_written = s_open = 0;
  round.map.order(bits);
  Bits low = static_cast<Bits>(~Bits{0}), high = 0;
#pragma unroll
  for (unsigned j = 0; j < kItems; ++j) {
    if ((open >> j & 1) == 0) continue;
    low = min(low, bits[j]);
    high = max(high, bits[j]);
  }
  crew.extend(low, high);

  unsigned best = 0, before = 0;  // items that are surely among the best, and those of all threads
  bool are_places = false;
  const auto word = [&](unsigned j) {
    return are_places ? static_cast<Bits>(j * kThreads + thread) : bits[j];
  };
  const auto take_places = [&] {
    are_places = true;
    low = 0;
    high = length - 1;
  };
  if (low == high) take_places();
#pragma unroll 1
  for (;;) {
    const typename OfCrew::template Cut<Bits> cut(low, high);
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      if ((open >> j & 1) != 0) crew.count(cut.bin(word(j)));
    }
    const auto found = crew.find(need);
    low = cut.first_of(found.bin);
    high = cut.last_of(found.bin);
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      const unsigned bit = open & 1u << j;
      if (word(j) < low) best |= bit;
      if (word(j) < low || word(j) > high) open ^= bit;
    }
    need -= found.before;
    before += found.before;
    if (found.inside == need) {
      best |= open;
      need = 0;
    }
    if (need == 0 || found.inside <= kFew) break;
    if (cut.shift == 0) take_places();
  }

  if (need != 0) {
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      if ((open >> j & 1) == 0) continue;
      const unsigned at = atomicAdd(&s_open, 1u);
      s_bits[at] = bits[j];
      s_places[at] = j * kThreads + thread;
    }
    OfCrew::meet();
    const unsigned count = s_open;
    if (thread < count) {
      const Contestant<Bits> mine{s_bits[thread], s_places[thread]};
      unsigned rank = 0;
#pragma unroll 4
      for (unsigned i = 0; i < count; ++i) {
        rank += Contestant<Bits>{s_bits[i], s_places[i]}.is_before(mine) ? 1 : 0;
      }
      if (rank < need) round.best.write(row, before + rank, mine, round.map);
    }
  }
  unsigned of_warp = 0;
#pragma unroll
  for (unsigned j = 0; j < kItems; ++j) {
    of_warp += __popc(__ballot_sync(kAllLanes, (best >> j & 1) != 0));
  }
  unsigned at = 0;
  if (lane_id() == 0 && of_warp != 0) at = atomicAdd(&s_written, of_warp);
  at = __shfl_sync(kAllLanes, at, 0);
#pragma unroll
  for (unsigned j = 0; j < kItems; ++j) {
    const bool is_one = (best >> j & 1) != 0;
    const unsigned lanes = __ballot_sync(kAllLanes, is_one);
    if (is_one) {
      round.best.write(row, at + __popc(lanes_below(lanes)), {bits[j], j * kThreads + thread},
                       round.map);
    }
    at += __popc(lanes);
  }
}

}  // namespace sortlab::gpu::topk

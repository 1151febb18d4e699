// A warp sorts a row in registers, or several rows of up to 16 keys side by side, by the bitonic network.
//
//   keys       0 1 2 ... 31 | 32 33 ... 63 | ...      a lane loads every 32nd key of its row
//   words      lane 0: 0 1 2 .. | lane 1: ...         in order, kEach neighbours a lane
//   result     0 1 2 ... 31 | 32 33 ... 63 | ...      back through shared memory: neighbours store neighbours
//
// No barrier, and the same work for any keys. Bytes a key: one read, one write.
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/warp/bitonic_sort.cuh"
#include "library/cuda/rows/row_keys.hpp"

namespace sortlab::cuda::detail {

constexpr unsigned kWarpRowThreads = 128;
constexpr unsigned kRowWarps = kWarpRowThreads / gpu::kWarp;

/// The lanes for a row of n keys, one a lane: a power of two.
SORTLAB_HD constexpr unsigned lanes_of_row(unsigned n) {
  unsigned lanes = 1;
  while (lanes < n && lanes < gpu::kWarp) lanes *= 2;
  return lanes;
}

/// A warp's words in shared memory, a gap after each 32, so that neither order of access meets bank conflicts.
template <class Word, unsigned kEach>
struct WarpWords {
  static constexpr unsigned kCount = kEach == 1 ? 0 : (gpu::kWarp + 1) * kEach;
  static constexpr std::size_t kBytes = kCount * sizeof(Word) * kRowWarps;
  Word* s_words;

  __device__ __forceinline__ WarpWords()
      : s_words(reinterpret_cast<Word*>(gpu::dynamic_shared()) + gpu::warp_id() * kCount) {}
  __device__ __forceinline__ Word& at(unsigned i) const { return s_words[i + i / gpu::kWarp]; }
};

/// Each row has at most 32 * kEach keys. Words that have a place are PlacedKey, wider than Bits, or have place_bits.
template <class Word, unsigned kEach, class Bits>
__global__ void __launch_bounds__(kWarpRowThreads)
    sort_rows_by_warp(__grid_constant__ const RowKeys<Bits> keys, WordForm<Bits, Word> form) {
  using gpu::kWarp;
  const unsigned n = keys.n;
  const unsigned lanes = kEach == 1 ? lanes_of_row(n) : kWarp;
  const unsigned lane = gpu::lane_id() % lanes;
  const std::size_t row = (std::size_t{blockIdx.x} * kRowWarps + gpu::warp_id()) * (kWarp / lanes) +
                          gpu::lane_id() / lanes;
  const bool has_row = row < keys.rows;
  const std::size_t begin = row * n;

  Word word[kEach];
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const unsigned i = j * kWarp + lane;
    word[j] = has_row && i < n ? form.word(keys.ordered(begin + i), i) : form.last();
  }
  gpu::sort_in_warp(word, kEach * lanes);

  const auto put = [&](unsigned i, const Word& sorted) {
    if (has_row && i < n) keys.put(begin + i, form.ordered(sorted), form.place(sorted));
  };
  if constexpr (kEach == 1) {
    __syncwarp();  // the result may be where the keys are
    put(lane, word[0]);
  } else {
    const WarpWords<Word, kEach> words;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) words.at(lane * kEach + j) = word[j];
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) put(j * kWarp + lane, words.at(j * kWarp + lane));
  }
}

}  // namespace sortlab::cuda::detail

// Which kernel sorts short rows, and its launch.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "gpu/primitives/launch/kernel.cuh"
#include "library/cuda/rows/by_block.cuh"
#include "library/cuda/rows/by_warp.cuh"
#include "library/cuda/rows/short_rows.hpp"

namespace sortlab::cuda::detail {

/// The most keys that a warp sorts: wider words take more registers and more exchanges.
template <class Word>
constexpr unsigned kMostOfWarp = std::is_same_v<Word, PlacedKey> ? 256 : 512;

/// A list of the shapes of blocks.
template <class... Blocks>
struct RowBlockList {
  /// Calls use(block) with each, from the smallest on, until one returns true.
  template <class Use>
  static void any_of(Use use) {
    (void)(use(Blocks{}) || ...);
  }
};
template <class Bits, class Place>
constexpr bool kIsWidePair = sizeof(Bits) == 8 && kValueBytes<Place> > 0;
template <class Bits, class Place>
using RowBlocks = RowBlockList<RowBlock<Bits, Place, 256, 4, 4>, RowBlock<Bits, Place, 512, 8, 2>,
                               RowBlock<Bits, Place, 1024, kIsWidePair<Bits, Place> ? 14 : 16, 1>>;

template <class Bits, class Word, unsigned kEach = 1>
void sort_by_warps(const RowKeys<Bits>& keys, WordForm<Bits, Word> form, cudaStream_t stream) {
  if constexpr (kEach * gpu::kWarp < kMostOfWarp<Word>) {
    if (keys.n > kEach * gpu::kWarp)
      return sort_by_warps<Bits, Word, 2 * kEach>(keys, form, stream);
  }
  const unsigned lanes = kEach == 1 ? lanes_of_row(keys.n) : gpu::kWarp;
  const std::size_t rows_a_block = std::size_t{kRowWarps} * (gpu::kWarp / lanes);
  gpu::launch("sort_rows_by_warp", sort_rows_by_warp<Word, kEach, Bits>,
              {ceil_div(keys.rows, rows_a_block), kWarpRowThreads, WarpWords<Word, kEach>::kBytes},
              stream, keys, form);
}

/// The most keys of the largest block that a GPU has room for.
template <class Bits, class Place>
std::size_t most_of_blocks(const GpuFacts& gpu) {
  std::size_t most = 0;
  RowBlocks<Bits, Place>::any_of([&]<class Block>(Block) {
    const bool fits = sizeof(typename Block::Shared) <= gpu.shared_bytes_per_block;
    if (fits) most = Block::kMost;
    return !fits;
  });
  return most;
}

template <class Bits, class Place>
void sort_by_blocks(const RowKeys<Bits>& keys, WordForm<Bits, Bits> form, cudaStream_t stream) {
  RowBlocks<Bits, Place>::any_of([&]<class Block>(Block) {
    if (keys.n > Block::kMost) return false;
    gpu::launch("sort_rows_by_block", sort_rows_by_block<Block>,
                {keys.rows, Block::kThreads, sizeof(typename Block::Shared)}, stream, keys, form);
    return true;
  });
}

/// Whether keys have their places beside them in the memory of a block, and not among their bits.
template <class Bits>
bool has_places_beside(unsigned key_bytes, bool with_index) {
  return with_index && key_bytes == sizeof(Bits);
}

template <class Bits>
std::size_t most_of_short_row(const GpuFacts& gpu, unsigned key_bytes, bool with_index) {
  const std::size_t of_block = has_places_beside<Bits>(key_bytes, with_index)
                                   ? most_of_blocks<Bits, std::uint32_t>(gpu)
                                   : most_of_blocks<Bits, NoValue>(gpu);
  return std::max<std::size_t>(of_block, kMostOfWarp<PlacedKey>);
}

template <class Bits>
void sort_short_rows(const RowKeys<Bits>& keys, cudaStream_t stream) {
  const bool with_index = keys.index != nullptr;
  const bool has_wide_words = has_places_beside<Bits>(keys.key_bytes, with_index);
  const unsigned place_bits =
      with_index && !has_wide_words ? static_cast<unsigned>(std::bit_width(keys.n - 1)) : 0;
  using Wide = std::conditional_t<sizeof(Bits) == 8, PlacedKey, std::uint64_t>;
  if (has_wide_words) {
    if (keys.n <= kMostOfWarp<Wide>) return sort_by_warps(keys, WordForm<Bits, Wide>{0}, stream);
    sort_by_blocks<Bits, std::uint32_t>(keys, {0}, stream);
  } else {
    const WordForm<Bits, Bits> form{place_bits};
    if (keys.n <= kMostOfWarp<Bits>) return sort_by_warps(keys, form, stream);
    sort_by_blocks<Bits, NoValue>(keys, form, stream);
  }
}

}  // namespace sortlab::cuda::detail

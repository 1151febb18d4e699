// The kernels before and after the sorts of long rows (long_rows.hpp).
#pragma once

#include "library/cuda/rows/row_keys.hpp"

namespace sortlab::cuda::detail {

constexpr unsigned kStretchThreads = 256;
constexpr unsigned kStretchItems = 4;  // of a thread
constexpr unsigned kStretch = kStretchThreads * kStretchItems;

/// A block has a stretch of one row.
struct RowStretches {
  std::size_t n;
  std::size_t in_row;

  explicit RowStretches(std::size_t keys_of_row)
      : n(keys_of_row), in_row((keys_of_row + kStretch - 1) / kStretch) {}
  std::size_t blocks(std::size_t rows) const { return rows * in_row; }

  /// Calls use(row, i) for each of the thread's items, where i is the item's number in the array.
  template <class Use>
  __device__ __forceinline__ void for_each(Use use) const {
    const auto stretches = static_cast<unsigned>(in_row);
    const unsigned row = blockIdx.x / stretches;
    const std::size_t first = std::size_t{blockIdx.x - row * stretches} * kStretch;
#pragma unroll
    for (unsigned k = 0; k < kStretchItems; ++k) {
      const std::size_t p = first + k * kStretchThreads + threadIdx.x;
      if (p < n) use(row, row * n + p);
    }
  }
};

template <class Word>
__global__ void __launch_bounds__(kStretchThreads)
    make_words(__grid_constant__ const RowKeys<std::uint32_t> keys, RowStretches stretches,
               Word* words) {
  const unsigned key_bits = 8 * keys.key_bytes;
  stretches.for_each([&](unsigned row, std::size_t i) {
    words[i] = static_cast<Word>(std::uint64_t{row} << key_bits | keys.ordered(i));
  });
}

template <class Word>
__global__ void __launch_bounds__(kStretchThreads)
    take_words(__grid_constant__ const RowKeys<std::uint32_t> keys, RowStretches stretches,
               const Word* words, const std::uint32_t* places) {
  const unsigned unused = 32 - 8 * keys.key_bytes;
  stretches.for_each([&](unsigned row, std::size_t i) {
    const std::uint32_t ordered = static_cast<std::uint32_t>(words[i]) << unused >> unused;
    keys.put(i, ordered, places == nullptr ? 0 : places[i] - row * keys.n);
  });
}

template <class Word>
__global__ void __launch_bounds__(kStretchThreads)
    make_placed(__grid_constant__ const RowKeys<Word> keys, RowStretches stretches,
                WordForm<Word, Word> form, Word* words) {
  stretches.for_each([&](unsigned row, std::size_t i) {
    words[i] = form.word(keys.ordered(i), static_cast<unsigned>(i - std::size_t{row} * keys.n));
  });
}

template <class Word>
__global__ void __launch_bounds__(kStretchThreads)
    take_placed(__grid_constant__ const RowKeys<Word> keys, RowStretches stretches,
                WordForm<Word, Word> form, const Word* words) {
  stretches.for_each([&](unsigned, std::size_t i) {
    const Word word = words[i];
    keys.put(i, form.ordered(word), form.place(word));
  });
}

template <class Bits>
__global__ void __launch_bounds__(kStretchThreads)
    order_all(__grid_constant__ const RowKeys<Bits> keys, RowStretches stretches, Bits* ordered) {
  stretches.for_each([&](unsigned, std::size_t i) { ordered[i] = keys.ordered(i); });
}

template <class Place>
__global__ void __launch_bounds__(kStretchThreads)
    divide_places(const Place* places, Place* rows, RowStretches stretches, unsigned n) {
  stretches.for_each([&](unsigned, std::size_t i) { rows[i] = places[i] / n; });
}

template <class Bits>
__global__ void __launch_bounds__(kStretchThreads)
    gather_places(__grid_constant__ const RowKeys<Bits> keys, RowStretches stretches,
                  const std::uint32_t* places, Bits* sorted) {
  stretches.for_each([&](unsigned row, std::size_t i) {
    const std::uint32_t place = places[i];
    if (sorted != nullptr) sorted[i] = keys.raw(place);
    if (keys.index != nullptr) keys.put_index(i, place - row * keys.n);
  });
}

}  // namespace sortlab::cuda::detail

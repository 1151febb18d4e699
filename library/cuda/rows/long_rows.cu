#include "library/cuda/rows/long_rows.hpp"

#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::cuda::detail {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kItems = 4;  // of a thread

/// A block has a stretch of one row.
struct RowStretches {
  std::size_t n;
  std::size_t in_row;

  explicit RowStretches(std::size_t keys_of_row)
      : n(keys_of_row), in_row(ceil_div(keys_of_row, std::size_t{kThreads} * kItems)) {}
  gpu::Grid grid(std::size_t rows) const { return {rows * in_row, kThreads}; }

  /// Calls use(row, i) for each of the thread's items, where i is the item's number in the array.
  template <class Use>
  __device__ __forceinline__ void for_each(Use use) const {
    const auto stretches = static_cast<unsigned>(in_row);
    const unsigned row = blockIdx.x / stretches;
    const std::size_t first = std::size_t{blockIdx.x - row * stretches} * kThreads * kItems;
#pragma unroll
    for (unsigned k = 0; k < kItems; ++k) {
      const std::size_t p = first + k * kThreads + threadIdx.x;
      if (p < n) use(row, row * n + p);
    }
  }
};

template <class Word>
__global__ void __launch_bounds__(kThreads)
    make_words(__grid_constant__ const RowKeys<std::uint32_t> keys, RowStretches stretches,
               Word* words) {
  const unsigned key_bits = 8 * keys.key_bytes;
  stretches.for_each([&](unsigned row, std::size_t i) {
    words[i] = static_cast<Word>(std::uint64_t{row} << key_bits | keys.ordered(i));
  });
}

template <class Word>
__global__ void __launch_bounds__(kThreads)
    take_words(__grid_constant__ const RowKeys<std::uint32_t> keys, RowStretches stretches,
               const Word* words, const std::uint32_t* places) {
  const unsigned unused = 32 - 8 * keys.key_bytes;
  stretches.for_each([&](unsigned row, std::size_t i) {
    const std::uint32_t ordered = static_cast<std::uint32_t>(words[i]) << unused >> unused;
    keys.put(i, ordered, places == nullptr ? 0 : places[i] - row * keys.n);
  });
}

__global__ void __launch_bounds__(kThreads)
    order_all(__grid_constant__ const RowKeys<std::uint64_t> keys, RowStretches stretches,
              std::uint64_t* ordered) {
  stretches.for_each([&](unsigned, std::size_t i) { ordered[i] = keys.ordered(i); });
}

__global__ void __launch_bounds__(kThreads)
    divide_places(const std::uint32_t* places, std::uint32_t* rows, RowStretches stretches,
                  unsigned n) {
  stretches.for_each([&](unsigned, std::size_t i) { rows[i] = places[i] / n; });
}

__global__ void __launch_bounds__(kThreads)
    gather_places(__grid_constant__ const RowKeys<std::uint64_t> keys, RowStretches stretches,
                  const std::uint32_t* places, std::uint64_t* sorted) {
  stretches.for_each([&](unsigned row, std::size_t i) {
    const std::uint32_t place = places[i];
    if (sorted != nullptr) sorted[i] = keys.raw(place);
    if (keys.index != nullptr) keys.put_index(i, place - row * keys.n);
  });
}

template <class Use>
void with_row_word(unsigned bytes, Use use) {
  bytes == 8 ? use(std::uint64_t{}) : use(std::uint32_t{});
}

}  // namespace

void make_row_words(const RowKeys<std::uint32_t>& keys, unsigned word_bytes, void* d_words,
                    cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  with_row_word(word_bytes, [&]<class Word>(Word) {
    gpu::launch("make_words", make_words<Word>, stretches.grid(keys.rows), stream, keys, stretches,
                static_cast<Word*>(d_words));
  });
}

void take_row_words(const RowKeys<std::uint32_t>& keys, unsigned word_bytes, const void* d_words,
                    const std::uint32_t* d_places, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  with_row_word(word_bytes, [&]<class Word>(Word) {
    gpu::launch("take_words", take_words<Word>, stretches.grid(keys.rows), stream, keys, stretches,
                static_cast<const Word*>(d_words), d_places);
  });
}

void order_keys(const RowKeys<std::uint64_t>& keys, std::uint64_t* d_ordered, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  gpu::launch("order_all", order_all, stretches.grid(keys.rows), stream, keys, stretches,
              d_ordered);
}

void rows_of_places(const std::uint32_t* d_places, std::uint32_t* d_rows, std::size_t items,
                    unsigned n, cudaStream_t stream) {
  const RowStretches all(items);
  gpu::launch("divide_places", divide_places, all.grid(1), stream, d_places, d_rows, all, n);
}

void take_places(const RowKeys<std::uint64_t>& keys, const std::uint32_t* d_places,
                 std::uint64_t* d_keys, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  gpu::launch("gather_places", gather_places, stretches.grid(keys.rows), stream, keys, stretches,
              d_places, d_keys);
}

}  // namespace sortlab::cuda::detail

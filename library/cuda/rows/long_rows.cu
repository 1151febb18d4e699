#include "library/cuda/rows/long_rows.hpp"

#include "gpu/primitives/launch/kernel.cuh"
#include "library/cuda/rows/long_rows.cuh"

namespace sortlab::cuda::detail {
namespace {

gpu::Grid grid_of(const RowStretches& stretches, std::size_t rows) {
  return {stretches.blocks(rows), kStretchThreads};
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
    gpu::launch("make_words", make_words<Word>, grid_of(stretches, keys.rows), stream, keys,
                stretches, static_cast<Word*>(d_words));
  });
}

void take_row_words(const RowKeys<std::uint32_t>& keys, unsigned word_bytes, const void* d_words,
                    const std::uint32_t* d_places, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  with_row_word(word_bytes, [&]<class Word>(Word) {
    gpu::launch("take_words", take_words<Word>, grid_of(stretches, keys.rows), stream, keys,
                stretches, static_cast<const Word*>(d_words), d_places);
  });
}

void make_placed_words(const RowKeys<std::uint32_t>& keys, unsigned place_bits,
                       std::uint32_t* d_words, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  gpu::launch("make_placed", make_placed<std::uint32_t>, grid_of(stretches, keys.rows), stream,
              keys, stretches, WordForm<std::uint32_t, std::uint32_t>{place_bits}, d_words);
}

void take_placed_words(const RowKeys<std::uint32_t>& keys, unsigned place_bits,
                       const std::uint32_t* d_words, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  gpu::launch("take_placed", take_placed<std::uint32_t>, grid_of(stretches, keys.rows), stream,
              keys, stretches, WordForm<std::uint32_t, std::uint32_t>{place_bits}, d_words);
}

void order_keys(const RowKeys<std::uint64_t>& keys, std::uint64_t* d_ordered, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  gpu::launch("order_all", order_all<std::uint64_t>, grid_of(stretches, keys.rows), stream, keys,
              stretches, d_ordered);
}

void rows_of_places(const std::uint32_t* d_places, std::uint32_t* d_rows, std::size_t items,
                    unsigned n, cudaStream_t stream) {
  const RowStretches all(items);
  gpu::launch("divide_places", divide_places<std::uint32_t>, grid_of(all, 1), stream, d_places,
              d_rows, all, n);
}

void take_places(const RowKeys<std::uint64_t>& keys, const std::uint32_t* d_places,
                 std::uint64_t* d_keys, cudaStream_t stream) {
  const RowStretches stretches(keys.n);
  gpu::launch("gather_places", gather_places<std::uint64_t>, grid_of(stretches, keys.rows), stream,
              keys, stretches, d_places, d_keys);
}

}  // namespace sortlab::cuda::detail

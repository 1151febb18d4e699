#include "library/cuda/columns.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::cuda::detail {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kAtOnce = 4;  // loads of a thread on their way

/// Calls for_item(i) for each i of [0, n) that is this thread's.
template <class ForItem>
__device__ __forceinline__ void for_each_item(std::size_t n, ForItem for_item) {
  const std::size_t threads = std::size_t{gridDim.x} * kThreads;
#pragma unroll kAtOnce
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += threads)
    for_item(i);
}

gpu::Grid grid_for(std::size_t n) {
  constexpr std::size_t kMostBlocks = 1u << 20;
  return {std::min(ceil_div(n, std::size_t{kThreads} * kAtOnce), kMostBlocks), kThreads};
}

template <class Source>
__global__ void __launch_bounds__(kThreads)
    load_narrow(const Source* keys, std::uint32_t* ordered, std::size_t n, NarrowForm form) {
  for_each_item(n, [=](std::size_t i) { ordered[i] = form.ordered(keys[i]); });
}

template <class Target>
__global__ void __launch_bounds__(kThreads)
    store_narrow(const std::uint32_t* ordered, Target* keys, std::size_t n, NarrowForm form) {
  for_each_item(n, [=](std::size_t i) { keys[i] = static_cast<Target>(form.key(ordered[i])); });
}

template <class Bits>
__global__ void __launch_bounds__(kThreads)
    equate(const Bits* in, Bits* out, std::size_t n, EqualFloats<Bits> equated) {
  for_each_item(n, [=](std::size_t i) { out[i] = equated(in[i]); });
}

template <class Index>
__global__ void __launch_bounds__(kThreads) number(Index* index, std::size_t n) {
  for_each_item(n, [=](std::size_t i) { index[i] = static_cast<Index>(i); });
}

template <class In, class Out>
__global__ void __launch_bounds__(kThreads)
    convert_integers(const In* in, Out* out, std::size_t n) {
  for_each_item(n, [=](std::size_t i) { out[i] = static_cast<Out>(in[i]); });
}

/// Items of one word.
template <class Word, class Index>
__global__ void __launch_bounds__(kThreads)
    gather_words(const Word* in, Word* out, const Index* index, std::size_t n) {
  for_each_item(n, [=](std::size_t i) { out[i] = in[index[i]]; });
}

/// Items of several words: neighbouring threads move the words of an item.
template <class Word, class Index>
__global__ void __launch_bounds__(kThreads)
    gather_long_items(const Word* in, Word* out, const Index* index, unsigned words,
                      std::size_t all_words) {
  for_each_item(all_words, [=](std::size_t w) {
    const std::size_t item = all_words <= 0xffffffff ? static_cast<unsigned>(w) / words : w / words;
    out[w] = in[std::size_t{index[item]} * words + (w - item * words)];
  });
}

/// Items of one word in rows of n.
template <class Word, class Index>
__global__ void __launch_bounds__(kThreads)
    gather_words_in_rows(const Word* in, Word* out, const Index* index, std::size_t n_of_all,
                         std::size_t n) {
  for_each_item(n_of_all, [=](std::size_t i) {
    const std::size_t in_row =
        n_of_all <= 0xffffffff ? static_cast<unsigned>(i) % static_cast<unsigned>(n) : i % n;
    out[i] = in[i - in_row + index[i]];
  });
}

/// Calls use(word) with an unsigned integer of so many bytes.
template <class Use>
void with_word(std::size_t bytes, Use use) {
  switch (bytes) {
    case 1:
      return use(std::uint8_t{});
    case 2:
      return use(std::uint16_t{});
    case 4:
      return use(std::uint32_t{});
    case 8:
      return use(std::uint64_t{});
    default:
      throw std::logic_error("no integer has so many bytes");
  }
}
template <class Use>
void with_index(unsigned bytes, Use use) {
  bytes == 8 ? use(std::uint64_t{}) : use(std::uint32_t{});
}

/// The largest word of which an item consists and to which both arrays are aligned.
std::size_t word_bytes(const void* d_in, const void* d_out, std::size_t item_bytes) {
  constexpr std::size_t kLargest = 16;
  return std::gcd(
      std::gcd(reinterpret_cast<std::size_t>(d_in), reinterpret_cast<std::size_t>(d_out)),
      std::gcd(item_bytes, kLargest));
}

}  // namespace

void load_narrow_keys(const void* d_keys, unsigned key_bytes, void* d_ordered, std::size_t n,
                      const NarrowForm& form, cudaStream_t stream) {
  const auto load = [&]<class Source>(Source) {
    gpu::launch("load_narrow", load_narrow<Source>, grid_for(n), stream,
                static_cast<const Source*>(d_keys), static_cast<std::uint32_t*>(d_ordered), n,
                form);
  };
  key_bytes == 1 ? load(std::uint8_t{}) : load(std::uint16_t{});
}

void store_narrow_keys(const void* d_ordered, void* d_keys, unsigned key_bytes, std::size_t n,
                       const NarrowForm& form, cudaStream_t stream) {
  const auto store = [&]<class Target>(Target) {
    gpu::launch("store_narrow", store_narrow<Target>, grid_for(n), stream,
                static_cast<const std::uint32_t*>(d_ordered), static_cast<Target*>(d_keys), n,
                form);
  };
  key_bytes == 1 ? store(std::uint8_t{}) : store(std::uint16_t{});
}

void equate_floats(const void* d_in, void* d_out, unsigned key_bytes, std::size_t n,
                   const RadixSort& call, cudaStream_t stream) {
  const auto copy_equated = [&]<class Bits>(Bits) {
    gpu::launch("equate", equate<Bits>, grid_for(n), stream, static_cast<const Bits*>(d_in),
                static_cast<Bits*>(d_out), n, equal_floats_of<Bits>(call));
  };
  key_bytes == 8 ? copy_equated(std::uint64_t{}) : copy_equated(std::uint32_t{});
}

void number_items(void* d_index, unsigned index_bytes, std::size_t n, cudaStream_t stream) {
  with_index(index_bytes, [&]<class Index>(Index) {
    gpu::launch("number", number<Index>, grid_for(n), stream, static_cast<Index*>(d_index), n);
  });
}

void convert(const void* d_in, unsigned in_bytes, void* d_out, unsigned out_bytes, std::size_t n,
             cudaStream_t stream) {
  with_word(in_bytes, [&]<class In>(In) {
    with_word(out_bytes, [&]<class Out>(Out) {
      if constexpr (sizeof(In) == 4 || sizeof(Out) == 4) {
        gpu::launch("convert_integers", convert_integers<In, Out>, grid_for(n), stream,
                    static_cast<const In*>(d_in), static_cast<Out*>(d_out), n);
      }
    });
  });
}

void gather_items(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                  unsigned index_bytes, std::size_t n, cudaStream_t stream) {
  const std::size_t bytes = word_bytes(d_in, d_out, item_bytes);
  const std::size_t words = item_bytes / bytes;
  const auto gather = [&]<class Word>(Word) {
    with_index(index_bytes, [&]<class Index>(Index) {
      const auto* const in = static_cast<const Word*>(d_in);
      auto* const out = static_cast<Word*>(d_out);
      const auto* const index = static_cast<const Index*>(d_index);
      if (words == 1) {
        gpu::launch("gather_words", gather_words<Word, Index>, grid_for(n), stream, in, out, index,
                    n);
      } else {
        gpu::launch("gather_long_items", gather_long_items<Word, Index>, grid_for(n * words),
                    stream, in, out, index, static_cast<unsigned>(words), n * words);
      }
    });
  };
  bytes == 16 ? gather(uint4{}) : with_word(bytes, gather);
}

void gather_in_rows(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                    unsigned index_bytes, std::size_t n_of_all, std::size_t n,
                    cudaStream_t stream) {
  with_word(item_bytes, [&]<class Word>(Word) {
    with_index(index_bytes, [&]<class Index>(Index) {
      gpu::launch("gather_words_in_rows", gather_words_in_rows<Word, Index>, grid_for(n_of_all),
                  stream, static_cast<const Word*>(d_in), static_cast<Word*>(d_out),
                  static_cast<const Index*>(d_index), n_of_all, n);
    });
  });
}

}  // namespace sortlab::cuda::detail

// The functions that cpu/bitonic/simd calls for its blocks.
#pragma once

#include <cstddef>

namespace sortlab::cpu::bitonic::simd {

/// The kernels of one instruction set, for the keys of one kind.
template <class Key>
struct Calls {
  std::size_t base_keys;  // of the smallest block
  int most_steps;         // of a pass
  void (*sort_block)(Key* keys, std::size_t n, std::size_t block, std::size_t size, bool decode,
                     Key flip);
  void (*clean_block)(Key* keys, std::size_t n, std::size_t block, std::size_t size, bool decode,
                      Key flip);
  void (*far_pass)(Key* keys, std::size_t n, std::size_t block, std::size_t size, int steps,
                   bool flip, std::size_t first, std::size_t last);
};

}  // namespace sortlab::cpu::bitonic::simd

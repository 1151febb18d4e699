// A part of an input: the items `first` to `first + count - 1` of `n`.
#pragma once

#include <cstddef>

namespace sortlab {

struct Slice {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t n = 0;
};

constexpr Slice whole(std::size_t n) { return {0, n, n}; }

}  // namespace sortlab

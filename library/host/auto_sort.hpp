// cpu/auto, called without the harness: all sorts of the library end here.
#pragma once

#include <cstddef>

#include "common/contract/key_types.hpp"

namespace sortlab::library {

/// Where buffers begin that are lent to sorts.
inline constexpr std::size_t kAlignment = 256;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Keys of 4 or 8 bytes, alone or with values of 4 bytes.
struct AutoSort {
  KeyType type;
  Order order;
  void* keys;
  void* values;  // null: keys alone
  std::size_t n;
  int threads;

  /// Of memory for run(): a multiple of kAlignment.
  std::size_t scratch_bytes() const;
  /// Sorts in place. Few items need not ask for scratch_bytes(): see below.
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

/// So few keys alone need at most so much memory, on one thread. tests/library/few_test.cpp looks at each
/// number of them.
inline constexpr std::size_t kFewKeys = 1024, kFewBytes = 16 * 1024;

}  // namespace sortlab::library

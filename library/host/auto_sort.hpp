// Calls cpu/auto/auto, or cpu/auto/any_order, without the harness; all calls of the library end here.
#pragma once

#include <cstddef>

#include "common/contract/isa.hpp"
#include "common/contract/key_types.hpp"

namespace sortlab::library {

/// The alignment of buffers for sorts.
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
  bool any_order = false;  // of the values of equal keys

  /// The memory for run() in bytes: a multiple of kAlignment.
  std::size_t scratch_bytes() const;
  /// Sorts in place.
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

/// The instruction set of all sorts.
Isa isa_of_sorts();

/// Limits for few items on one thread. The bytes include everything that the library adds, for
/// values of at most kFewValueBytes.
struct Few {
  /// Up to this many keys, alone or with values, need at most kFewBytes.
  std::size_t keys = 0, pairs = 0;
  /// Enough for up to kSomePairs keys with values.
  std::size_t some_pairs_bytes = 0;
};
/// For sorts of pairs in any order, or for all others.
const Few& few(bool any_order = false);
inline constexpr std::size_t kFewBytes = 17 * 1024, kFewValueBytes = 8, kSomePairs = 512;

}  // namespace sortlab::library

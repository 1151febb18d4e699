// The calls of sortlab/sortlab.h after their arguments are checked: each one returns how much
// memory it needs, or sorts.
#pragma once

#include <sortlab/sortlab.h>

#include <cstddef>
#include <cstdint>

#include "common/contract/key_types.hpp"

namespace sortlab::library {

/// Keys of any width.
struct Keys {
  int type;  // SORTLAB_TYPE_...
  std::size_t bytes() const {
    constexpr std::size_t kBytes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2};
    return kBytes[type];
  }
  bool is_known() const { return type >= SORTLAB_TYPE_U8 && type <= SORTLAB_TYPE_F16; }
  bool is_narrow() const { return bytes() < 4; }
  bool is_floating() const { return type >= SORTLAB_TYPE_F32; }
  /// The type as which these are sorted: narrow keys become numbers of 4 bytes.
  KeyType wide() const {
    constexpr KeyType kTypes[] = {KeyType::u32, KeyType::u32, KeyType::u32, KeyType::u32,
                                  KeyType::u32, KeyType::u32, KeyType::i32, KeyType::u64,
                                  KeyType::i64, KeyType::f32, KeyType::f64, KeyType::u32};
    return kTypes[type];
  }
};

/// The content of sortlab_options.
struct Settings {
  Order order = Order::ascending;
  bool nans_last = false;
  int threads = 0;         // 0: as many as are free; run() and scratch_bytes() need a number
  bool any_order = false;  // of the values of equal keys
};

/// The most items for an index of 4 bytes. Tests use a smaller limit.
inline constexpr std::size_t kMostIndexed = std::size_t{1} << 32;

struct SortCall {
  Keys type;
  Settings settings;
  void* keys;
  std::size_t n;

  std::size_t scratch_bytes() const;
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

struct PairsCall {
  Keys type;
  Settings settings;
  void* keys;
  void* values;
  std::size_t n;
  std::size_t value_bytes;  // not 0
  bool are_values_words;    // 4 bytes each, aligned to 4: cpu/auto can move them
  std::size_t most_indexed = kMostIndexed;

  std::size_t scratch_bytes() const;
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

struct ArgsortCall {
  Keys type;
  Settings settings;
  const void* keys;
  void* order;
  std::size_t n;
  std::size_t index_bytes;  // 4 or 8
  std::size_t most_indexed = kMostIndexed;

  std::size_t scratch_bytes() const;
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

// Sorts indices of 8 bytes by the keys that they number: for more keys than an index of 4 bytes can
// number, which are rare.

/// Writes the n indices in the order of their keys; equal keys by index. `scratch`: n indices.
void sort_indices_by_comparison(Keys type, const Settings& settings, const void* keys,
                                std::uint64_t* index, std::size_t n, std::byte* scratch);

}  // namespace sortlab::library

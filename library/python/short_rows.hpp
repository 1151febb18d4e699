// Sorts many short rows at once. A tile holds the first keys of some rows side by side, then their second
// ones, and so on. A sorting network compares and exchanges whole lines of it, so the compiler uses vectors.
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.2, algorithm M (Batcher's network).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>

#include "library/python/arrays.hpp"

namespace sortlab::python {

/// Rows of n keys along an axis of an array in C order: outer x n x inner.
struct Rows {
  std::byte* keys;
  KeyType type;
  std::size_t outer, n, inner;
  std::byte* order = nullptr;  ///< Where the indices go, in the same shape; null: none.
  std::size_t order_bytes = 0;
  bool moves_keys = true;

  std::size_t count() const { return outer * inner; }
};

constexpr std::size_t kMostShort = 64;

namespace short_rows {

// All is inlined into a function that is compiled for the instruction set.
#define SORTLAB_INLINE [[gnu::always_inline]] inline
#define SORTLAB_INLINE_LAMBDA __attribute__((always_inline))

/// Maps keys to signed integers of the same order, and back. NaN and NaT come last.
template <class Int>
class Mapping {
  using Unsigned = std::make_unsigned_t<Int>;
  static constexpr Int kMost = std::numeric_limits<Int>::max();
  static constexpr int kSign = std::numeric_limits<Int>::digits;

 public:
  Mapping(const KeyType& type, bool descending) : reverse_(descending ? Int{-1} : Int{0}) {
    if (type.is_float()) {
      const int mantissa = type.bytes == 2 ? 10 : type.bytes == 4 ? 23 : 52;
      fold_ = kMost;
      // So many NaNs are less than all numbers: those with a sign, in descending order the others.
      shift_ = static_cast<Unsigned>((std::uint64_t{1} << mantissa) - 1);
      first_nan_ = static_cast<Int>(kMost - 2 * static_cast<Int>(shift_) + 1);
    } else if (type.is_time) {
      shift_ = descending ? 0 : 1;
    } else if (type.number % 2 == 1) {  // u8, u16, ...
      flip_ = std::numeric_limits<Int>::min();
    }
  }

  SORTLAB_INLINE Int to(Int bits) const { return last(folded(static_cast<Int>(bits ^ flip_))); }
  SORTLAB_INLINE Int from(Int key) const {
    const Int number = static_cast<Int>(static_cast<Unsigned>(key) + shift_);
    return static_cast<Int>(folded(static_cast<Int>(number ^ reverse_)) ^ flip_);
  }
  /// Equal numbers are the same: -0 and 0, and all NaNs.
  SORTLAB_INLINE Int to_rank(Int bits) const {
    if (fold_ == 0) return to(bits);
    const Int key = folded(bits);
    return std::min(last(key == -1 ? Int{0} : key), first_nan_);
  }

 private:
  SORTLAB_INLINE Int folded(Int bits) const {
    return static_cast<Int>(bits ^ ((bits >> kSign) & fold_));
  }
  SORTLAB_INLINE Int last(Int key) const {
    return static_cast<Int>(static_cast<Unsigned>(key ^ reverse_) - shift_);
  }

  Int flip_ = 0, fold_ = 0, reverse_;
  Unsigned shift_ = 0;
  Int first_nan_ = 0;
};

/// A tile of keys alone.
template <class Int>
struct Keys {
  static constexpr std::size_t kLanes = 256 / sizeof(Int);
  alignas(64) Int line[kMostShort][kLanes];

  SORTLAB_INLINE void clear(std::size_t i) { std::fill_n(line[i], kLanes, Int{0}); }
  SORTLAB_INLINE void exchange(std::size_t i, std::size_t j) {
    Int* const a = line[i];
    Int* const b = line[j];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Int x = a[lane], y = b[lane];
      a[lane] = x < y ? x : y;
      b[lane] = x < y ? y : x;
    }
  }
};

/// A tile of keys with their indices. Narrow keys have both in one number.
template <class Int>
struct Ranked {
  using Both = std::conditional_t<sizeof(Int) == 4, std::int64_t, std::int32_t>;
  static constexpr int kShift = sizeof(Int) == 4 ? 32 : 16;
  static constexpr std::size_t kLanes = Keys<Both>::kLanes;
  Keys<Both> both;

  SORTLAB_INLINE void clear(std::size_t i) { both.clear(i); }
  SORTLAB_INLINE void set(std::size_t i, std::size_t lane, Int key) {
    both.line[i][lane] = (static_cast<Both>(key) << kShift) | static_cast<Both>(i);
  }
  SORTLAB_INLINE std::size_t index(std::size_t i, std::size_t lane) const {
    return static_cast<std::size_t>(both.line[i][lane] & ((Both{1} << kShift) - 1));
  }
  SORTLAB_INLINE void exchange(std::size_t i, std::size_t j) { both.exchange(i, j); }
};
template <>
struct Ranked<std::int64_t> {
  using Int = std::int64_t;
  static constexpr std::size_t kLanes = Keys<Int>::kLanes;
  Keys<Int> keys, indices;

  SORTLAB_INLINE void clear(std::size_t i) {
    keys.clear(i);
    indices.clear(i);
  }
  SORTLAB_INLINE void set(std::size_t i, std::size_t lane, Int key) {
    keys.line[i][lane] = key;
    indices.line[i][lane] = static_cast<Int>(i);
  }
  SORTLAB_INLINE std::size_t index(std::size_t i, std::size_t lane) const {
    return static_cast<std::size_t>(indices.line[i][lane]);
  }
  SORTLAB_INLINE void exchange(std::size_t i, std::size_t j) {
    Int *const a = keys.line[i], *const b = keys.line[j];
    Int *const c = indices.line[i], *const d = indices.line[j];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Int x = a[lane], y = b[lane], p = c[lane], q = d[lane];
      const Int swaps = -(Int{x > y} | (Int{x == y} & Int{p > q}));  // a mask
      const Int keys_differ = (x ^ y) & swaps, indices_differ = (p ^ q) & swaps;
      a[lane] = x ^ keys_differ;
      b[lane] = y ^ keys_differ;
      c[lane] = p ^ indices_differ;
      d[lane] = q ^ indices_differ;
    }
  }
};

template <class Tile>
SORTLAB_INLINE void sort_lines(Tile& tile, std::size_t n) {
  if (n < 2) return;
  std::size_t top = 1;
  while (2 * top < n) top *= 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t r = 0, distance = p;
    for (std::size_t q = top;; q /= 2) {
      for (std::size_t i = 0; i + distance < n; ++i) {
        if ((i & p) == r) tile.exchange(i, i + distance);
      }
      if (q == p) break;
      distance = q - p;
      r = p;
    }
  }
}

/// Calls visit(i, lane, at) for the i-th key of each of `count` rows from `first` on, which is item `at`.
template <class Visit>
SORTLAB_INLINE void for_keys(const Rows& rows, std::size_t first, std::size_t count, Visit visit) {
  const std::size_t n = rows.n, inner = rows.inner;
  if (inner == 1) {
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t at = (first + lane) * n;
      for (std::size_t i = 0; i < n; ++i) visit(i, lane, at + i);
    }
    return;
  }
  std::size_t column = first % inner, at = first / inner * n * inner + column;
  for (std::size_t lane = 0; lane < count;) {
    const std::size_t run = std::min(count - lane, inner - column);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < run; ++j) visit(i, lane + j, at + i * inner + j);
    }
    lane += run;
    at += run + (n - 1) * inner;  // the next block of the outer axis
    column = 0;
  }
}

/// Calls work(first, count) for the rows of each tile.
template <class Tile, class Work>
SORTLAB_INLINE void for_tiles(Tile& tile, std::size_t n, std::size_t first, std::size_t last,
                              Work work) {
  for (; first < last; first += Tile::kLanes) {
    const std::size_t count = std::min(Tile::kLanes, last - first);
    for (std::size_t i = 0; i < n && count < Tile::kLanes; ++i) tile.clear(i);
    work(first, count);
  }
}

template <class Int>
SORTLAB_INLINE void sort_keys(const Rows& rows, bool descending, std::size_t first,
                              std::size_t last) {
  Keys<Int> tile;
  const Mapping<Int> mapping(rows.type, descending);
  Int* const keys = reinterpret_cast<Int*>(rows.keys);
  const auto work = [&](std::size_t from, std::size_t count) SORTLAB_INLINE_LAMBDA {
    for_keys(rows, from, count,
             [&](std::size_t i, std::size_t lane, std::size_t at)
                 SORTLAB_INLINE_LAMBDA { tile.line[i][lane] = mapping.to(keys[at]); });
    sort_lines(tile, rows.n);
    for_keys(rows, from, count,
             [&](std::size_t i, std::size_t lane, std::size_t at)
                 SORTLAB_INLINE_LAMBDA { keys[at] = mapping.from(tile.line[i][lane]); });
  };
  for_tiles(tile, rows.n, first, last, work);
}

template <class Int>
SORTLAB_INLINE void sort_indices(const Rows& rows, bool descending, std::size_t first,
                                 std::size_t last) {
  Ranked<Int> tile;
  const Mapping<Int> mapping(rows.type, descending);
  Int* const keys = reinterpret_cast<Int*>(rows.keys);
  Int before[kMostShort][Ranked<Int>::kLanes];
  const auto work = [&](std::size_t from, std::size_t count) SORTLAB_INLINE_LAMBDA {
    for_keys(rows, from, count,
             [&](std::size_t i, std::size_t lane, std::size_t at) SORTLAB_INLINE_LAMBDA {
               tile.set(i, lane, mapping.to_rank(keys[at]));
               if (rows.moves_keys) before[i][lane] = keys[at];
             });
    sort_lines(tile, rows.n);
    for_keys(rows, from, count,
             [&](std::size_t i, std::size_t lane, std::size_t at) SORTLAB_INLINE_LAMBDA {
               const std::size_t index = tile.index(i, lane);
               if (rows.moves_keys) keys[at] = before[index][lane];
               if (rows.order_bytes == sizeof(std::uint64_t)) {
                 reinterpret_cast<std::uint64_t*>(rows.order)[at] = index;
               } else if (rows.order_bytes == sizeof(std::uint32_t)) {
                 reinterpret_cast<std::uint32_t*>(rows.order)[at] =
                     static_cast<std::uint32_t>(index);
               }
             });
  };
  for_tiles(tile, rows.n, first, last, work);
}

template <class Int>
SORTLAB_INLINE void sort(const Rows& rows, bool ranks, bool descending, std::size_t first,
                         std::size_t last) {
  if (ranks) return sort_indices<Int>(rows, descending, first, last);
  sort_keys<Int>(rows, descending, first, last);
}

SORTLAB_INLINE void sort_any(const Rows& rows, bool ranks, bool descending, std::size_t first,
                             std::size_t last) {
  switch (rows.type.bytes) {
    case 1:
      return sort<std::int8_t>(rows, ranks, descending, first, last);
    case 2:
      return sort<std::int16_t>(rows, ranks, descending, first, last);
    case 4:
      return sort<std::int32_t>(rows, ranks, descending, first, last);
    default:
      return sort<std::int64_t>(rows, ranks, descending, first, last);
  }
}

#undef SORTLAB_INLINE
#undef SORTLAB_INLINE_LAMBDA

using Kernel = void (*)(const Rows&, bool ranks, bool descending, std::size_t first,
                        std::size_t last);

inline void sort_by_scalar(const Rows& rows, bool ranks, bool descending, std::size_t first,
                           std::size_t last) {
  sort_any(rows, ranks, descending, first, last);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] inline void sort_by_avx2(const Rows& rows, bool ranks, bool descending,
                                                 std::size_t first, std::size_t last) {
  sort_any(rows, ranks, descending, first, last);
}
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] inline void sort_by_avx512(
    const Rows& rows, bool ranks, bool descending, std::size_t first, std::size_t last) {
  sort_any(rows, ranks, descending, first, last);
}
#endif

/// The best that the CPU has and SORTLAB_ISA does not forbid (docs/library.md).
inline Kernel best_kernel() {
#if defined(__x86_64__)
  const char* const forced = std::getenv("SORTLAB_ISA");
  const std::string_view most = forced == nullptr ? "" : forced;
  if (most == "scalar") return sort_by_scalar;
  if (most != "avx2" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return sort_by_avx512;
  }
  if (__builtin_cpu_supports("avx2")) return sort_by_avx2;
#endif
  return sort_by_scalar;
}

}  // namespace short_rows

/// Whether sort_short_rows() sorts such rows faster than one call for each.
inline bool are_short(const Rows& rows, bool ranks) {
  const std::size_t most = rows.type.bytes == 8 ? (ranks ? 16 : 32) : kMostShort;
  return rows.n <= most && rows.count() >= 16;
}

/// Sorts rows [first, last) of those that are_short(). `ranks`: by the order of equal keys, and with
/// indices.
inline const short_rows::Kernel sort_short_rows = short_rows::best_kernel();

}  // namespace sortlab::python

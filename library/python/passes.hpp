// Passes over arrays with the threads of the library's team.
#pragma once

#include <sortlab/sortlab.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sortlab::python {

/// So many items are worth more threads than one.
constexpr std::size_t kWorthThreads = std::size_t{1} << 17;

/// Calls work(first, last) for parts of n items, on as many threads as n is worth. The pages of a new
/// array are then made by all of them: one thread takes longer for that than all for the sort.
template <class Work>
void for_items(std::size_t n, int threads, Work work, std::size_t worth = kWorthThreads) {
  struct Parts {
    std::size_t n;
    std::size_t count;
    Work& work;
  };
  const int slots = n < worth ? 1 : std::max(1, sortlab_threads_at_hand(threads));
  if (slots == 1) return work(std::size_t{0}, n);
  Parts parts{n, static_cast<std::size_t>(slots), work};
  const auto part = [](void* context, int slot) {
    const Parts& all = *static_cast<const Parts*>(context);
    const auto begin_of = [&](std::size_t i) {
      return all.n / all.count * i + std::min(i, all.n % all.count);
    };
    const auto i = static_cast<std::size_t>(slot);
    all.work(begin_of(i), begin_of(i + 1));
  };
  sortlab_run(slots, part, &parts);
}

inline void copy(void* to, const void* from, std::size_t bytes, int threads) {
  for_items(bytes, threads, [&](std::size_t first, std::size_t last) {
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                last - first);
  });
}

/// 0, 1, 2, ...
inline void number(std::uint32_t* index, std::size_t n, int threads) {
  for_items(n, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) index[i] = static_cast<std::uint32_t>(i);
  });
}

inline void widen(std::int64_t* to, const std::uint32_t* from, std::size_t n, int threads) {
  for_items(n, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) to[i] = from[i];
  });
}

/// Reverses the bytes of each item.
template <class Item>
void swap_bytes_of(Item* items, std::size_t n, int threads) {
  for_items(n, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if constexpr (sizeof(Item) == 2) items[i] = __builtin_bswap16(items[i]);
      if constexpr (sizeof(Item) == 4) items[i] = __builtin_bswap32(items[i]);
      if constexpr (sizeof(Item) == 8) items[i] = __builtin_bswap64(items[i]);
    }
  });
}
inline void swap_bytes(void* items, std::size_t n, std::size_t item_bytes, int threads) {
  if (item_bytes == 2) swap_bytes_of(static_cast<std::uint16_t*>(items), n, threads);
  if (item_bytes == 4) swap_bytes_of(static_cast<std::uint32_t*>(items), n, threads);
  if (item_bytes == 8) swap_bytes_of(static_cast<std::uint64_t*>(items), n, threads);
}

}  // namespace sortlab::python

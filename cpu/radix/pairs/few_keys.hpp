// Counting sorts of radix/pairs, which move values alone: of pairs with few distinct keys, and of pairs whose keys differ in few
// bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/contract/usable_cpus.hpp"
#include "cpu/primitives/few_keys.hpp"
#include "cpu/primitives/narrow_digit.hpp"
#include "cpu/radix/pairs/state.hpp"

namespace sortlab::cpu::radix::pairs {

using primitives::FewKeys, primitives::NarrowDigit;

// Pairs with few distinct keys: keys are counted, and values alone are scattered.
//
//   from      keys b a b c ..   values v0 v1 v2 v3 ..
//   via       v1 .. | v0 v2 .. | v3 ..                 by key, through one buffer per key
//   landing   keys a .. b b .. c ..   values           written and copied
//
// A sample finds the distinct keys. Each has its own slot in a table, so a look-up finds a key's
// buffer, or finds that the sample has missed the key. Such keys are noted meanwhile; they get slots, too,
// and all is counted again. If there are too many, nothing is moved, and another sort must sort the pairs.
//
// Memory traffic: 28 bytes per pair with a u32 key; with buckets of pairs it is 36.

/// Copies bytes, or repeats the line at `from`, past the caches.
inline void stream_bytes(std::byte* to, const std::byte* from, std::size_t bytes, bool repeat) {
  const std::size_t step = repeat ? 0 : kLineBytes;
  const std::size_t head =
      std::min<std::size_t>(bytes, -reinterpret_cast<std::uintptr_t>(to) % kLineBytes);
  std::memcpy(to, from, head);
  if (!repeat) from += head;
  for (to += head, bytes -= head; bytes >= kLineBytes; bytes -= kLineBytes) {
    for (std::size_t i = 0; i < kLineBytes; i += sizeof(SixteenBytes)) {
      stream_16(to + i, load_16(from + i));
    }
    to += kLineBytes;
    from += step;
  }
  std::memcpy(to, from, bytes);
}

/// What one thread counts, and the buffers with which it scatters values; see PairLines.
template <class Bits, class Value>
struct alignas(kLineBytes) ValueLines {
  static constexpr std::size_t kSlots = FewKeys<std::uint32_t>::kSlots;
  static constexpr std::size_t kValues = 32;  // of a buffer
  static constexpr std::size_t kMostMissed = 16;

  std::size_t missed_count;  // of keys without a slot
  std::size_t counts[kSlots];
  std::size_t next[kSlots];
  std::uint16_t filled[kSlots];
  alignas(kLineBytes) Value lines[kSlots][kValues];
  Bits missed[kMostMissed];

  [[gnu::noinline]] void note_missed(const Bits* keys, std::size_t n, const FewKeys<Bits>& few) {
    for (std::size_t i = 0; i < n && missed_count < kMostMissed; ++i) {
      Bits* const end = missed + missed_count;
      if (few.difference(few.slot_of(keys[i]), keys[i]) == 0) continue;
      if (std::find(missed, end, keys[i]) != end) continue;
      *end = keys[i];
      ++missed_count;
    }
  }
  void move_some(Value* to, std::size_t slot) {
    const std::size_t first = next[slot] % kValues;
    std::copy(lines[slot] + first, lines[slot] + filled[slot], to + next[slot]);
  }
  void put(Value* to, std::size_t slot, Value value) {
    const std::size_t place = filled[slot];
    lines[slot][place] = value;
    filled[slot] = static_cast<std::uint16_t>(place + 1);
    if (place + 1 < kValues) return;
    const std::size_t before = next[slot] % kValues;
    if (before == 0) {
      radix::scalar::MoveLine{}(to + next[slot], reinterpret_cast<const std::byte*>(lines[slot]),
                                sizeof(lines[slot]));
    } else {  // the previous thread writes the front of these lines
      move_some(to, slot);
    }
    next[slot] += kValues - before;
    filled[slot] = 0;
  }
};

/// A thread counts the pairs of [first, last) by slot, up to a key without a slot; it notes such keys for some
/// blocks more, because rare keys seldom come alone. Returns whether there are any.
template <class Items, class Lines>
bool count_or_note_missed(const Source<Items>& from, std::size_t first, std::size_t last,
                          const FewKeys<typename Items::Key>& few, typename Items::Key* block,
                          Lines& lines) {
  using Bits = typename Items::Key;
  std::fill_n(lines.counts, Lines::kSlots, std::size_t{0});
  lines.missed_count = 0;
  constexpr std::size_t kMoreBlocks = 8;
  for (std::size_t i = first; i < last; i += kBlockItems) {
    const std::size_t m = std::min(kBlockItems, last - i);
    const Bits* const keys = from.load(from.keys, i, m, block);
    Bits difference = 0;
    for (std::size_t k = 0; k < m; ++k) {
      __builtin_prefetch(static_cast<const Bits*>(from.keys) + i + k + kBlockItems);
      const std::size_t slot = few.slot_of(keys[k]);
      difference |= few.difference(slot, keys[k]);
      ++lines.counts[slot];
    }
    if (difference == 0) continue;
    if (lines.missed_count == 0) last = std::min(last, i + kMoreBlocks * kBlockItems);
    lines.note_missed(keys, m, few);
    if (lines.missed_count == Lines::kMostMissed) break;
  }
  return lines.missed_count > 0;
}

/// Sorts n pairs with few distinct keys. `via` is memory of their size. Returns false, and changes
/// nothing, if there are more distinct keys.
template <class Items>
bool sort_few_keys(const Source<Items>& from, std::byte* via, Items landing, std::size_t n,
                   int threads, PairState<Items>* states, bool stream,
                   void (*restore)(void* bits, std::size_t n)) {
  using Bits = typename Items::Key;
  using Value = typename Items::Value;
  using Lines = ValueLines<Bits, Value>;
  static_assert(sizeof(Lines) <= sizeof(states->leaf.bytes));
  // Sorting a sample takes one thread longer than it takes many threads to count again for a rare key.
  const std::size_t sampled = std::clamp<std::size_t>(n / 512, 128, kMaxSample);
  Bits* const sample = states[0].sample();
  take_sample(from, n, sampled, states[0].block, sample);
  FewKeys<Bits> few;
  if (!few.find(sample, sampled)) return false;
  const auto lines = [&](int t) { return reinterpret_cast<Lines*>(states[t].leaf.bytes); };
  const auto chunk = [&](int t) { return chunk_begin(n, threads, t); };

  constexpr int kMostCounts = 4;
  for (int counted = 0;;) {
    on_all_threads(threads, [&](int t) {
      states[t].differing =
          count_or_note_missed(from, chunk(t), chunk(t + 1), few, states[t].block, *lines(t));
    });
    if (width_of_all(states, threads) == 0) break;
    if (++counted == kMostCounts) return false;
    for (int t = 0; t < threads; ++t) {
      for (std::size_t i = 0; i < lines(t)->missed_count; ++i) {
        if (!few.add(lines(t)->missed[i])) return false;
      }
    }
    if (!few.give_slots()) return false;
  }

  std::size_t begin[FewKeys<Bits>::kMost + 1] = {0};
  for (std::size_t k = 0; k < few.count(); ++k) {
    const std::size_t slot = few.slot_of(few.key(k));
    std::size_t place = begin[k];
    for (int t = 0; t < threads; ++t) {
      lines(t)->next[slot] = place;
      lines(t)->filled[slot] = static_cast<std::uint16_t>(place % Lines::kValues);
      place += lines(t)->counts[slot];
    }
    begin[k + 1] = place;
  }

  const auto unaligned = -reinterpret_cast<std::uintptr_t>(via) % kLineBytes;
  auto* const values = reinterpret_cast<Value*>(via + unaligned);
  on_all_threads(threads, [&](int t) {
    Lines& mine = *lines(t);
    from.for_each_block(chunk(t), chunk(t + 1), states[t].block, [&](Items items, std::size_t m) {
      for (std::size_t i = 0; i < m; ++i) {
        mine.put(values, few.slot_of(items.keys[i]), items.values[i]);
      }
    });
    for (std::size_t k = 0; k < few.count(); ++k) mine.move_some(values, few.slot_of(few.key(k)));
    publish_lines();
  });

  on_all_threads(threads, [&](int t) {
    const std::size_t first = chunk(t), last = chunk(t + 1);
    if (stream) {
      stream_bytes(reinterpret_cast<std::byte*>(landing.values + first),
                   reinterpret_cast<const std::byte*>(values + first),
                   (last - first) * sizeof(Value), false);
    } else {
      std::copy(values + first, values + last, landing.values + first);
    }
    for (std::size_t k = 0; k < few.count(); ++k) {
      const std::size_t from_here = std::max(first, begin[k]),
                        to_here = std::min(last, begin[k + 1]);
      if (from_here >= to_here) continue;
      Bits line[kLineBytes / sizeof(Bits)];
      std::fill(std::begin(line), std::end(line), few.key(k));
      if (restore != nullptr) restore(line, std::size(line));
      stream_bytes(reinterpret_cast<std::byte*>(landing.keys + from_here),
                   reinterpret_cast<const std::byte*>(line), (to_here - from_here) * sizeof(Bits),
                   true);
    }
    publish_lines();
  });
  return true;
}

// Pairs whose keys differ in few bits that are close (NarrowDigit): the same on one thread, without a sample that may miss
// a key, and without buffers.
//
//   data      keys b a b c ..   values v0 v1 v2 v3 ..    counted
//   memory    v1 .. | v0 v2 .. | v3 ..                   by key
//   data      keys a .. b b .. c ..   values             written and copied
//
// On other CPUs than Intel's, the places of a block of values come first: in one loop a counter would wait for the store
// of the value before.
// measured: 64 groups, 1 thread, us, before and after: 100,003 u32 541 and 329, i32 554 and 247, i64 603 and 341; 1,000,003
// i32 5922 and 3062; xeon16/attempts/narrow.1.txt.xz

/// Sorts n user's pairs. `memory` has room for so many.
template <class Items>
[[gnu::noinline]] void sort_narrow_keys(const NarrowDigit<typename Items::Key>& digit,
                                        const Source<Items>& from, std::byte* memory, Items data,
                                        std::size_t n, PairState<Items>& state,
                                        void (*restore)(void* bits, std::size_t n)) {
  using Bits = typename Items::Key;
  using Value = typename Items::Value;
  auto* const values = reinterpret_cast<Value*>(memory);
  auto* const next = reinterpret_cast<std::uint32_t*>(values + n);
  std::fill_n(next, digit.values(), std::uint32_t{0});
  for (std::size_t i = 0; i < n; ++i) ++next[digit(data.keys[i])];

  // The distinct keys, in the order of the result.
  auto* const keys = reinterpret_cast<Bits*>(state.leaf.large_bytes);
  std::size_t found = 0;
  for (std::size_t v = 0; v < digit.values(); ++v) {
    keys[found] = digit.key(v);
    found += next[v] != 0;
  }
  for (std::size_t k = 0; k < found; ++k) keys[k] = *from.load(keys, k, 1, state.block);
  std::sort(keys, keys + found);
  if (restore != nullptr) restore(keys, found);
  std::uint32_t place = 0;
  for (std::size_t k = 0; k < found; ++k) {
    place += std::exchange(next[digit(keys[k])], place);
  }

  if (cpu_is_intel()) {
    for (std::size_t i = 0; i < n; ++i) values[next[digit(data.keys[i])]++] = data.values[i];
  } else {
    std::uint32_t places[kBlockItems];
    for (std::size_t i = 0; i < n; i += kBlockItems) {
      const std::size_t m = std::min(kBlockItems, n - i);
      for (std::size_t k = 0; k < m; ++k) places[k] = next[digit(data.keys[i + k])]++;
      for (std::size_t k = 0; k < m; ++k) values[places[k]] = data.values[i + k];
    }
  }
  std::copy_n(values, n, data.values);
  place = 0;
  for (std::size_t k = 0; k < found; ++k) {
    const std::uint32_t end = next[digit(keys[k])];
    std::fill(data.keys + place, data.keys + end, keys[k]);
    place = end;
  }
}

}  // namespace sortlab::cpu::radix::pairs

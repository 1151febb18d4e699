// The first half of a partition: chooses the bucket of each key, and counts each thread's keys per
// bucket. Before it, a look at input that is in order or in reverse order, which need not be sorted.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

#include "common/contract/items.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simple_sorts.hpp"
#include "cpu/radix/msd/leaf.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix::msd {

// Keys as the unsigned integers that a radix sort takes digits from, and back.

// What is read from memory is turned into bits a block at a time; a block stays in the first-level
// cache.
inline constexpr std::size_t kBlockItems = 2048;

/// Keys to be read as bits: as the user's array has them (`load` turns them into bits), or bits already.
template <class Items>
struct Source {
  using Bits = typename Items::Key;
  const void* keys;
  typename Items::Value* values;
  const Bits* (*load)(const void* keys, std::size_t first, std::size_t n, Bits* block);

  /// Calls visit(items, n) for each block of [first, last).
  template <class Visit>
  void for_each_block(std::size_t first, std::size_t last, Bits* block, Visit visit) const {
    for (std::size_t i = first; i < last; i += kBlockItems) {
      const std::size_t n = std::min(kBlockItems, last - i);
      // A sort reads what it was given through these and never writes to it.
      Items items{const_cast<Bits*>(load(keys, i, n, block)), nullptr};
      if constexpr (Items::kPairs) items.values = values + i;
      visit(items, n);
    }
  }
};

template <class Bits>
const Bits* load_bits(const void* keys, std::size_t first, std::size_t, Bits*) {
  return static_cast<const Bits*>(keys) + first;
}

template <class Key, Order kOrder>
const BitsOf<Key>* load_keys(const void* keys, std::size_t first, std::size_t n,
                             BitsOf<Key>* block) {
  const Key* const from = static_cast<const Key*>(keys) + first;
  for (std::size_t i = 0; i < n; ++i) block[i] = to_radix_bits<Key, kOrder>(from[i]);
  return block;
}

/// Turns keys into bits, in place. (Placement new ends the life of the one and begins that of the
/// other, so that no object is ever read through a pointer to another type.)
template <class Key, Order kOrder>
void to_bits(Key* keys, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    ::new (static_cast<void*>(keys + i)) BitsOf<Key>(to_radix_bits<Key, kOrder>(keys[i]));
  }
}

/// Turns bits back into keys, in place.
template <class Key, Order kOrder>
void restore_keys(void* bits, std::size_t n) {
  auto* const from = static_cast<BitsOf<Key>*>(bits);
  for (std::size_t i = 0; i < n; ++i) {
    ::new (static_cast<void*>(from + i)) Key(from_radix_bits<Key, kOrder>(from[i]));
  }
}

/// The user's items with their keys as bits in ascending order.
template <class Key, class Value, Order kOrder>
struct BitForm {
  using Bits = BitsOf<Key>;
  using BitItems = Items<Bits, Value>;

  /// Whether the keys are such bits as they are.
  static constexpr bool kSameAsKeys = std::is_same_v<Key, Bits> && kOrder == Order::ascending;

  /// The same memory, for bits that are made there.
  static BitItems of(Items<Key, Value> items) {
    return {reinterpret_cast<Bits*>(items.keys), items.values};
  }
  static Source<BitItems> source(Items<Key, Value> items) {
    return {items.keys, items.values, kSameAsKeys ? load_bits<Bits> : load_keys<Key, kOrder>};
  }
  static void make(Key* keys, std::size_t n) {
    if constexpr (!kSameAsKeys) to_bits<Key, kOrder>(keys, n);
  }
  /// What makes keys of bits again; null: nothing need be done.
  static constexpr void (*restore())(void* bits, std::size_t n) {
    if constexpr (kSameAsKeys) return nullptr;
    return restore_keys<Key, kOrder>;
  }
};

// The bucket of a key, for the first pass from the most significant end, is either a digit: the bits right below those that all keys share. Or, if a sample shows that
// digits would fill unevenly (floats, whose exponents are concentrated; Zipf; clusters), it is a
// table over a wider digit. Its bins are distributed so that every bucket gets about equally many
// sampled keys:
//
//   bins      | | | | |#| |##|####|###|##|#| | | ...     2^14 of them, # sampled keys
//   buckets     0 0 0 0 0  1   2 3   4   5   6 6 6        in the same order as the bins
//
// The table is 32 KiB and stays in the first-level cache; a look-up is one more load per key.

inline constexpr int kMaxDigitBits = 11;
inline constexpr std::size_t kMaxBuckets = std::size_t{1} << kMaxDigitBits;
inline constexpr int kBinBits = 14;

using BinTable = std::array<std::uint16_t, std::size_t{1} << kBinBits>;

/// Bits [shift, shift + bits) of a key.
struct Digit {
  int shift;
  int bits;

  std::size_t values() const { return std::size_t{1} << bits; }
  template <class Bits>
  std::size_t operator()(Bits key) const {
    return static_cast<std::size_t>(key >> shift) & (values() - 1);
  }
};

/// A digit looked up in a table.
struct LookUp {
  Digit bin;
  const std::uint16_t* bucket_of_bin;

  template <class Bits>
  std::size_t operator()(Bits key) const {
    return bucket_of_bin[bin(key)];
  }
};

/// The highest `bits` of the `width` low bits.
constexpr Digit digit_below(int width, int bits) {
  const int kept = std::clamp(bits, 1, std::max(width, 1));
  return {std::max(0, width - kept), kept};
}

struct Classifier {
  Digit digit;                 // without a table
  Digit bin;                   // with one
  const std::uint16_t* table;  // null: none
  int width() const { return digit.shift + digit.bits; }
  std::size_t buckets() const { return digit.values(); }

  /// Calls f with the function that returns a key's bucket.
  template <class F>
  void visit(F f) const {
    table == nullptr ? f(digit) : f(LookUp{bin, table});
  }
};

/// Whether a sixteenth of the digit's values would hold over 2.5 times its share. False for too few
/// sampled keys.
template <class Bits>
bool is_skewed(const Bits* sample, std::size_t size, Digit digit) {
  if (size < 256 || digit.bits < 4) return false;
  std::size_t loads[16] = {};
  for (std::size_t i = 0; i < size; ++i) ++loads[digit(sample[i]) >> (digit.bits - 4)];
  return 2 * *std::max_element(loads, loads + 16) > 5 * size / 16;
}

/// Assigns the bins to buckets: replaces a table with each bin's number of sampled keys, `size` in
/// total, by a table of buckets. A bin's place is the middle of its own keys, so that a bin with a
/// large share is separated from its neighbours on both sides.
inline void share_out(BinTable& table, std::size_t bins, std::size_t size, std::size_t buckets) {
  // A division takes longer than all else here.
  const float share = static_cast<float>(buckets) / static_cast<float>(2 * size);
  const auto last = static_cast<std::int32_t>(buckets - 1);
  std::int32_t before = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    const std::int32_t keys = table[b];
    const auto bucket = static_cast<std::int32_t>(static_cast<float>(2 * before + keys) * share);
    table[b] = static_cast<std::uint16_t>(std::min(bucket, last));
    before += keys;
  }
}

template <class Bits>
void fill_table(BinTable& table, const Bits* sample, std::size_t size, Digit bin,
                std::size_t buckets) {
  std::fill_n(table.begin(), bin.values(), std::uint16_t{0});
  for (std::size_t i = 0; i < size; ++i) ++table[bin(sample[i])];
  share_out(table, bin.values(), size, buckets);
}

/// A classifier into 2^bits buckets for keys that differ in their lowest `width` bits. It refers to
/// `table`.
template <class Bits>
Classifier classifier_for(const Bits* sample, std::size_t size, int width, int bits,
                          bool may_look_up, BinTable& table) {
  Classifier classifier{digit_below(width, bits), digit_below(width, kBinBits), nullptr};
  if (may_look_up && is_skewed(sample, size, classifier.digit)) {
    fill_table(table, sample, size, classifier.bin, classifier.buckets());
    classifier.table = table.data();
  }
  return classifier;
}

using primitives::parallel::chunk_begin, primitives::parallel::on_all_threads;

// The most keys in the sample that chooses the digit.
inline constexpr std::size_t kMaxSample = 4096;

/// The counters of one thread.
template <class Bits>
struct CountState {
  std::size_t counts[kMaxBuckets];
  Bits differing;
  BinTable table;
  alignas(kLineBytes) Bits block[kBlockItems];
};

/// Copies `size` evenly spread keys of the input.
template <class Items, class Bits>
void take_sample(const Source<Items>& from, std::size_t n, std::size_t size, Bits* block,
                 Bits* sample) {
  for (std::size_t i = 0; i < size; ++i) {
    sample[i] = *from.load(from.keys, n / size * i, 1, block);
  }
}

/// Counts the keys of [first, last) by bucket, and finds the bits in which they differ from the
/// first of all.
template <class Items, class State>
void count_chunk(const Source<Items>& from, std::size_t first, std::size_t last,
                 const Classifier& classifier, State& state) {
  using Bits = typename Items::Key;
  constexpr std::size_t kLine = kLineBytes / sizeof(Bits);
  std::fill_n(state.counts, classifier.buckets(), std::size_t{0});
  const Bits some_key = *from.load(from.keys, 0, 1, state.block);
  Bits differing = 0;
  classifier.visit([&](auto bucket_of) {
    for (std::size_t i = first; i < last; i += kBlockItems) {
      const std::size_t n = std::min(kBlockItems, last - i);
      const Bits* const keys = from.load(from.keys, i, n, state.block);
      const Bits* const following = static_cast<const Bits*>(from.keys) + i + kBlockItems;
      // Counting equal keys one by one would wait for the same counter each time.
      if (keys[0] == keys[n / 2] && keys[0] == keys[n - 1] && differing_bits(keys, n) == 0) {
        differing |= keys[0] ^ some_key;
        state.counts[bucket_of(keys[0])] += n;
        continue;
      }
      Bits in_block = 0;
      std::size_t k = 0;
      for (; k + kLine <= n; k += kLine) {
        // On some servers the hardware prefetches the streams of 16 threads too late.
        __builtin_prefetch(following + k);
        for (std::size_t j = k; j < k + kLine; ++j) {
          in_block |= keys[j] ^ some_key;
          ++state.counts[bucket_of(keys[j])];
        }
      }
      for (; k < n; ++k) {
        in_block |= keys[k] ^ some_key;
        ++state.counts[bucket_of(keys[k])];
      }
      differing |= in_block;
    }
  });
  state.differing = differing;
}

template <class State>
int width_of_all(const State* states, int threads) {
  decltype(states->differing) differing = 0;
  for (int t = 0; t < threads; ++t) differing |= states[t].differing;
  return static_cast<int>(std::bit_width(differing));
}

/// Chooses a classifier by a sample, digit_bits(width, sample) bits wide, and counts with it; empty
/// if all keys are equal. It refers to the first state's table. `sample` has room for kMaxSample
/// keys.
template <class Items, class State, class DigitBits>
std::optional<Classifier> count_buckets(const Source<Items>& from, std::size_t n, int threads,
                                        State* states, typename Items::Key* sample,
                                        bool may_look_up, DigitBits digit_bits) {
  using Bits = typename Items::Key;
  const std::size_t sampled = std::clamp<std::size_t>(n / 64, 16, kMaxSample);
  take_sample(from, n, sampled, states[0].block, sample);
  int width = static_cast<int>(std::bit_width(differing_bits(sample, sampled)));
  Classifier classifier;
  do {  // again if the sample has missed a bit
    classifier = classifier_for(sample, sampled, width,
                                digit_bits(width, std::span<const Bits>(sample, sampled)),
                                may_look_up, states[0].table);
    on_all_threads(threads, [&](int t) {
      count_chunk(from, chunk_begin(n, threads, t), chunk_begin(n, threads, t + 1), classifier,
                  states[t]);
    });
    width = width_of_all(states, threads);
    if (width == 0) return std::nullopt;
  } while (width > classifier.width());
  return classifier;
}

/// Assigns each thread its range in each bucket: ordered by bucket, then by thread. The first range
/// begins at place `lead`; begin[b] is the beginning of bucket b, counted from there.
///
///   to   | bucket 0: t0 t1 .. | bucket 1: t0 t1 .. | ...
template <class State>
void lay_out(State* states, int threads, std::size_t buckets, std::size_t lead,
             std::size_t* begin) {
  std::size_t place = lead;
  for (std::size_t b = 0; b < buckets; ++b) {
    begin[b] = place - lead;
    for (int t = 0; t < threads; ++t) {
      states[t].buckets.begin[b] = states[t].buckets.next[b] = place;
      place += states[t].counts[b];
    }
  }
  begin[buckets] = place - lead;
}

// Checks the order of the input: input in order or in reverse order need not be sorted.

/// The possible results of this check.
enum class Sequence { ascending, descending, neither };

/// Whether keys[first, last) are in order, or in strictly reverse order, so that reversing them is
/// stable. Stops once neither is possible.
template <class Key, class Less>
Sequence look_at(const Key* keys, std::size_t first, std::size_t last, Less less) {
  bool ascending = true, descending = true;
  for (std::size_t i = first + 1; i < last && (ascending || descending); i += kBlockItems) {
    const std::size_t end = std::min(i + kBlockItems, last);
    BitsOf<Key> descents = 0;  // a sum as wide as a key suits vectors
    for (std::size_t k = i; k < end; ++k) descents += less(keys[k], keys[k - 1]);
    ascending = ascending && descents == 0;
    descending = descending && descents == end - i;
  }
  return ascending ? Sequence::ascending : descending ? Sequence::descending : Sequence::neither;
}

template <class Key, class Less>
[[gnu::noinline]] Sequence look_at_all(const Key* keys, std::size_t n, int threads, Less less) {
  std::atomic<int> ascending = 0, descending = 0;
  on_all_threads(threads, [&](int t) {
    // Chunks overlap by one key, so that the pair on their border is compared too.
    const std::size_t first = chunk_begin(n, threads, t);
    const std::size_t last = std::min(n, chunk_begin(n, threads, t + 1) + 1);
    const Sequence sequence = look_at(keys, first, last, less);
    ascending += sequence == Sequence::ascending;
    descending += sequence == Sequence::descending;
  });
  return ascending == threads    ? Sequence::ascending
         : descending == threads ? Sequence::descending
                                 : Sequence::neither;
}

/// Not inlined, so that it does not lengthen the code path of other input.
template <class AnyItems>
[[gnu::noinline]] void turn_round(AnyItems items, std::size_t n, int threads) {
  const auto swap_some = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) items.swap(i, n - 1 - i);
  };
  primitives::parallel::for_each_chunk(n / 2, threads, swap_some);
}

/// Sorts input that needs no radix sort: few items, and items in order or in reverse order. Returns
/// whether it did. One thread looks at the first keys, because most input is in no order; up to 1 MiB it looks at all,
/// because other threads come too late.
template <class AnyItems, class Less>
bool sort_at_a_look(AnyItems items, std::size_t n, int threads, Less less) {
  if (n <= kInsertionItems) {
    insertion_sort(items, 0, n, less);
    return true;
  }
  constexpr std::size_t kFirst = 4096, kMostBytesAlone = std::size_t{1} << 20;
  if (look_at(items.keys, 0, std::min(n, kFirst), less) == Sequence::neither) return false;
  const int crew = n * sizeof(*items.keys) <= kMostBytesAlone ? 1 : threads;
  const Sequence sequence = look_at_all(items.keys, n, crew, less);
  if (sequence == Sequence::descending) turn_round(items, n, crew);
  return sequence != Sequence::neither;
}

}  // namespace sortlab::cpu::radix::msd

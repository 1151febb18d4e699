// The sort behind radix/pairs: a partition of pairs from the most significant end, then leaves in
// cache.
//
//   from     | chunk of thread 0 | chunk of thread 1 | ...     keys and values as they came
//   via      | bucket 0: from 0, from 1, .. | bucket 1 | ...   pairs, packed
//   landing  | leaf 0, sorted | leaf 1, sorted | ...           keys and values
//
// A bucket that is too large for a leaf is unpacked and partitioned again:
//
//   more than a thread's share    by all threads together, before the leaves
//   less                          by one thread; then all threads sort the parts
//   less than a quarter of it     by one thread, which sorts the parts, too
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>

#include "cpu/primitives/parallel.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/pairs/state.hpp"

namespace sortlab::cpu::radix::pairs {

// The partition of cpu/radix/pairs: moves pairs to buckets by a digit from the most significant end.
//
//   from  | chunk of thread 0 | chunk of thread 1 | ...     keys and values
//   to    | bucket 0: from 0, from 1, .. | bucket 1 | ...   pairs, packed

/// What is the same for all parts of a sort.
struct PairSettings {
  Isa isa;
  std::size_t stream_from_bytes;               // smaller sorts stay in the caches
  std::size_t widest_from_bytes;               // skewed keys of larger ones take the widest digit
  bool fetch_lines;                            // prefetches the lines of the buffers
  void (*restore)(void* bits, std::size_t n);  // turns bits into keys; null: they are keys
};

/// Workers: `threads` threads with the states from `first` on.
struct Crew {
  int threads;
  int first = 0;
};

/// Partitions pairs, with the memory of a sort's threads.
template <class Items>
class PairPartition {
  using Bits = typename Items::Key;
  using State = PairState<Items>;
  using Pairs = PackedPairs<Items>;

  // How many successive partitions may use tables. Only digits certainly separate the keys.
  static constexpr int kDeepestTable = 3;
  // The aimed-for number of pairs in a leaf.
  static constexpr std::size_t kGoodLeaf = std::size_t{32} << 10;
  // With fewer buckets, counters wait for their own previous change.
  static constexpr int kFewestBits = 6;
  // If a sample suggests a larger bucket than this, the widest digit is worth its cost where pairs
  // are buffered in lines. Random keys have no such bucket.
  static constexpr std::size_t kSkewedBucket = 4 * kPairLeafItems;
  // How many pairs ahead a buffer's line is prefetched.
  static constexpr std::size_t kAhead = 16;

 public:
  PairPartition(State* states, const PairSettings& settings)
      : states_(states), settings_(settings) {}

  bool is_streamed(std::size_t n) const { return n * Pairs::kBytes >= settings_.stream_from_bytes; }

  /// Moves n pairs of `from` to their buckets in `to`; bucket b becomes [begin[b], begin[b + 1]).
  /// `depth` partitions were before it. Returns the classifier of the buckets; if all keys are equal,
  /// returns nothing and moves nothing.
  std::optional<Classifier> operator()(const Source<Items>& from, Pairs to, std::size_t n,
                                       const Crew& crew, int depth, std::size_t* begin) const {
    const bool stream = is_streamed(n);
    State* const states = states_ + crew.first;
    const auto classifier =
        count_buckets(from, n, crew.threads, states, states[0].sample(), depth < kDeepestTable,
                      [&](int width, std::span<const Bits> sample) {
                        const int bits = digit_bits(n, crew.threads);
                        const std::size_t most = most_alike(sample, digit_below(width, bits));
                        const bool widest = n * Pairs::kBytes >= settings_.widest_from_bytes &&
                                            most * n / sample.size() > kSkewedBucket;
                        return widest ? kMaxDigitBits : bits;
                      });
    if (!classifier) return std::nullopt;
    // A buffer's places begin at a line boundary, but those of a bucket that is partitioned again
    // may begin anywhere.
    const std::size_t lead = lead_of(to);
    const Pairs base(to.bytes() - lead * Pairs::kBytes);
    lay_out(states, crew.threads, classifier->buckets(), lead, begin);
    on_all_threads(crew.threads, [&](int t) {
      scatter(from, chunk_begin(n, crew.threads, t), chunk_begin(n, crew.threads, t + 1),
              *classifier, base, stream, states[t]);
    });
    return classifier;
  }

 private:
  /// The number of places between a line boundary and `to`: a line holds 8 pairs, three lines hold
  /// 16.
  static std::size_t lead_of(Pairs to) {
    const auto address = reinterpret_cast<std::uintptr_t>(to.bytes());
    std::size_t lead = 0;
    while ((address - lead * Pairs::kBytes) % kLineBytes != 0) ++lead;
    return lead;
  }

  /// The most sampled keys in one bucket.
  static std::size_t most_alike(std::span<const Bits> sample, Digit digit) {
    std::uint16_t loads[kMaxBuckets] = {};
    for (const Bits key : sample) ++loads[digit(key)];
    return *std::max_element(loads, loads + digit.values());
  }

  static int digit_bits(std::size_t n, int threads) {
    int bits =
        static_cast<int>(std::bit_width((n - 1) / (threads > 1 ? 2 * kGoodLeaf : kGoodLeaf)));
    if (threads > 1) bits = std::max(bits, static_cast<int>(std::bit_width(4u * threads)));
    if (n >> kMaxDigitBits > kPairLeafItems * 3 / 4) bits = bits / 2 + 1;
    return std::clamp(bits, kFewestBits, kMaxDigitBits);
  }

  void scatter(const Source<Items>& from, std::size_t first, std::size_t last,
               const Classifier& classifier, Pairs to, bool stream, State& state) const {
    auto& lines = state.buckets;
    if (stream) lines.open(classifier.buckets());
    classifier.visit([&](auto bucket_of) {
      from.for_each_block(first, last, state.block, [&](Items items, std::size_t m) {
        if (!stream) {
          scatter_pairs(items, m, to, bucket_of, lines);
        } else if (settings_.isa == Isa::scalar) {
          scalar::stream_pairs<0>(items, m, to, bucket_of, lines);
        } else if (settings_.fetch_lines) {
          wide::stream_pairs<kAhead>(items, m, to, bucket_of, lines);
        } else {
          wide::stream_pairs<0>(items, m, to, bucket_of, lines);
        }
      });
    });
    if (stream) lines.close(to, classifier.buckets());
  }

  State* states_;
  PairSettings settings_;
};

/// The sort itself. It works on bits instead of keys, in memory of the caller.
template <class Items>
class PairSort {
  using Bits = typename Items::Key;
  using State = PairState<Items>;
  using Pairs = PackedPairs<Items>;

  // The most pairs of a bucket that one of many threads partitions.
  // measured: 16 threads, exponential 2^27 u32+u32, ms: 268 (4 million) vs 219 (2 million);
  // xeon16/attempts/pairs.9.txt
  static constexpr std::size_t kMostAlone = std::size_t{1} << 21;
  // One of many threads sorts no larger leaf than its share, so that none works alone in the end. Smaller ones are not
  // worth another partition.
  static constexpr std::size_t kLeastLeaf = std::size_t{8} << 10;

 public:
  /// Sorts n pairs through `via` into `landing`, with the states of `threads` threads.
  PairSort(State* states, int threads, const PairSettings& settings, Pairs via, Items landing,
           std::size_t n)
      : states_(states),
        threads_(threads),
        settings_(settings),
        partition_(states, settings),
        via_(via),
        landing_(landing),
        n_(n),
        most_leaf_(threads == 1 ? kPairLeafItems
                                : std::clamp(n / threads, kLeastLeaf, kPairLeafItems)),
        most_alone_(std::clamp(n / threads, most_leaf_, kMostAlone)),
        most_kept_(threads == 1 ? n : n / (4 * static_cast<std::size_t>(threads))) {}

  /// `from` may be the memory of `landing`.
  void sort(const Source<Items>& from) const {
    for (int t = 0; t < threads_; ++t) states_[t].parts.clear();
    PartList& shared = states_[0].parts.shared;
    int next = 0;
    const auto push = [&](const Part& part) {
      if (threads_ > 1 && part.size > most_alone_ && shared.push(part)) return;
      if (!states_[next].parts.now().push(part)) return sort_part(part, 0, {});
      next = (next + 1) % threads_;
    };
    const Crew all{threads_};
    divide(from, {.begin = 0, .size = n_}, all, push);
    while (!shared.is_empty()) split(shared.pop(), all, push);
    while (sort_parts()) {
    }
  }

 private:
  /// Sorts the parts that are listed now. Returns whether there are others later.
  bool sort_parts() const {
    on_all_threads(threads_, [&](int t) {
      for (int k = 0; k < threads_; ++k) {  // its own list first
        PartList& list = states_[(t + k) % threads_].parts.now();
        while (const Part* const part = list.claim()) sort_part(*part, t, ahead(list.peek()));
      }
    });
    bool more = false;
    for (int t = 0; t < threads_; ++t) {
      states_[t].parts.turn();
      more = more || !states_[t].parts.now().is_empty();
    }
    return more;
  }

  Ahead ahead(const Part* next) const {
    if (next == nullptr || next->landed) return {};
    return {via_.from(next->begin).bytes(), via_.from(next->begin + next->size).bytes()};
  }

  /// Thread t sorts a part, or leaves smaller parts of it for later.
  void sort_part(const Part& part, int t, const Ahead& ahead) const {
    if (part.size > most_leaf_) {
      return split(part, {1, t}, [&](const Part& smaller) {
        if (part.size <= most_kept_ || !states_[t].parts.later().push(smaller)) {
          sort_part(smaller, t, {});
        }
      });
    }
    const auto sort_leaf = [&](auto from) {
      states_[t].sort_leaf(from, landing_.from(part.begin), part.size, part.width, settings_.isa,
                           LeafOutput{settings_.restore, part.streams}, ahead);
    };
    part.landed ? sort_leaf(landing_.from(part.begin)) : sort_leaf(via_.from(part.begin));
  }

  /// Calls sink(smaller) for smaller parts of a part that is too large for a leaf, after it has moved
  /// their pairs there.
  template <class Sink>
  void split(const Part& part, const Crew& crew, Sink sink) const {
    const Items landed = landing_.from(part.begin);
    if (!part.landed) {
      const auto key = part.width == 0 ? std::nullopt : frequent_key(part);
      if (key) return split_around(*key, part, crew, sink);
      if (!unpack(part, crew)) return land_alike(part, crew);
    }
    divide({landed.keys, landed.values, load_bits<Bits>}, part, crew, sink);
  }

  /// The same for pairs in `from`, by a partition.
  template <class Sink>
  void divide(const Source<Items>& from, const Part& part, const Crew& crew, Sink sink) const {
    std::size_t begin[kMaxBuckets + 1];
    const auto classifier =
        partition_(from, via_.from(part.begin), part.size, crew, part.depth, begin);
    if (!classifier) return land_alike(part, crew);
    const std::size_t buckets = classifier->buckets();
    const int width = classifier->table == nullptr ? classifier->digit.shift : kUnknownWidth;
    // Large ones first, so that the threads end at about the same time; the others in the order of
    // memory.
    const auto is_large = [&](std::size_t size) {
      return threads_ > 1 && size * buckets > 2 * part.size;
    };
    for (const bool large : {true, false}) {
      for (std::size_t b = 0; b < buckets; ++b) {
        const std::size_t size = begin[b + 1] - begin[b];
        if (size == 0 || is_large(size) != large) continue;
        sink(Part{part.begin + begin[b], size, static_cast<std::int16_t>(width),
                  static_cast<std::int16_t>(part.depth + 1), false,
                  partition_.is_streamed(part.size)});
      }
    }
  }

  /// Unpacks a part. Returns whether its keys differ.
  bool unpack(const Part& part, const Crew& crew) const {
    State* const states = states_ + crew.first;
    const Pairs packed = via_.from(part.begin);
    const Items landed = landing_.from(part.begin);
    const Bits some_key = packed.key(0);
    on_all_threads(crew.threads, [&](int t) {
      const std::size_t first = chunk_begin(part.size, crew.threads, t);
      const std::size_t last = chunk_begin(part.size, crew.threads, t + 1);
      states[t].differing =
          pair_leaf::copy(packed.from(first), landed.from(first), last - first, some_key,
                          states[t].leaf, settings_.isa, partition_.is_streamed(part.size));
    });
    return width_of_all(states, crew.threads) > 0;
  }

  /// Pairs whose keys are all the same bits are sorted already. (The user's own pairs with equal
  /// keys are in order, so they never come here.)
  void land_alike(const Part& part, const Crew& crew) const {
    if (settings_.restore == nullptr) return;
    on_all_threads(crew.threads, [&](int t) {
      const std::size_t first = chunk_begin(part.size, crew.threads, t);
      settings_.restore(landing_.keys + part.begin + first,
                        chunk_begin(part.size, crew.threads, t + 1) - first);
    });
  }

  /// The key of half of a packed part's pairs.
  std::optional<Bits> frequent_key(const Part& part) const {
    constexpr std::size_t kLooks = 64;
    const Pairs packed = via_.from(part.begin);
    Bits keys[kLooks];
    for (std::size_t i = 0; i < kLooks; ++i) keys[i] = packed.key(i * (part.size / kLooks));
    std::nth_element(keys, keys + kLooks / 2, keys + kLooks);
    const Bits key = keys[kLooks / 2];
    if (std::count(keys, keys + kLooks, key) < std::ptrdiff_t{kLooks / 2}) return std::nullopt;
    return key;
  }

  /// Splits packed pairs by a frequent key. Those that have it are sorted already.
  ///
  ///   via      | k v, k v, ...                                   as the partition left them
  ///   landing  | lesser keys | pairs with this key | greater keys |
  template <class Sink>
  void split_around(Bits key, const Part& part, const Crew& crew, Sink sink) const {
    State* const states = states_ + crew.first;
    const Pairs packed = via_.from(part.begin);
    const Items landed = landing_.from(part.begin);
    const auto chunk = [&](int t) { return chunk_begin(part.size, crew.threads, t); };
    on_all_threads(crew.threads, [&](int t) {
      std::size_t less = 0, equal = 0;
      for (std::size_t i = chunk(t); i < chunk(t + 1); ++i) {
        less += packed.key(i) < key;
        equal += packed.key(i) == key;
      }
      states[t].counts[0] = less;
      states[t].counts[1] = equal;
      states[t].counts[2] = chunk(t + 1) - chunk(t) - less - equal;
    });
    std::size_t begin[4] = {0, 0, 0, part.size}, place = 0;
    for (int side = 0; side < 3; ++side) {
      begin[side] = place;
      for (int t = 0; t < crew.threads; ++t) place += std::exchange(states[t].counts[side], place);
    }
    on_all_threads(crew.threads, [&](int t) {
      const std::size_t* const at = states[t].counts;
      pair_leaf::part(packed.from(chunk(t)), chunk(t + 1) - chunk(t), key,
                      Sides<Items>{landed.from(at[0]), landed.from(at[1]), landed.from(at[2])},
                      states[t].leaf, settings_.isa,
                      LeafOutput{settings_.restore, partition_.is_streamed(part.size)});
    });
    for (const int side : {0, 2}) {
      const std::size_t size = begin[side + 1] - begin[side];
      if (size > 0) {
        sink(Part{part.begin + begin[side], size, kUnknownWidth,
                  static_cast<std::int16_t>(part.depth + 1), true, false});
      }
    }
  }

  State* states_;
  int threads_;
  PairSettings settings_;
  PairPartition<Items> partition_;
  Pairs via_;
  Items landing_;
  std::size_t n_, most_leaf_, most_alone_, most_kept_;
};

// Checks whether neighbours in memory are also close in the order, as codes of points along a
// curve, timestamps and runs are.

/// Whether half of some keys have their neighbour within a 64th of all keys, judged by a sample. n
/// >= 1024. A partition of such keys is slow, because it waits for the counters and places that it
/// has just changed.
template <class Items>
bool neighbours_are_close(const msd::Source<Items>& from, std::size_t n) {
  using Bits = typename Items::Key;
  constexpr std::size_t kLooks = 256;
  constexpr std::ptrdiff_t kNear = kLooks / 64;
  Bits keys[kLooks], neighbours[kLooks], block[2];
  for (std::size_t i = 0; i < kLooks; ++i) {
    const Bits* const two = from.load(from.keys, i * (n / kLooks), 2, block);
    keys[i] = two[0];
    neighbours[i] = two[1];
  }
  Bits sorted[kLooks];
  std::copy_n(keys, kLooks, sorted);
  std::sort(sorted, sorted + kLooks);
  const auto rank = [&](Bits key) {
    return std::lower_bound(sorted, sorted + kLooks, key) - sorted;
  };
  std::size_t close = 0;
  for (std::size_t i = 0; i < kLooks; ++i) {
    close += std::abs(rank(keys[i]) - rank(neighbours[i])) <= kNear;
  }
  return close >= kLooks / 2;
}

}  // namespace sortlab::cpu::radix::pairs

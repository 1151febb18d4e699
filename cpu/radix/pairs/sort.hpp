// The sort behind radix/pairs: a partition of pairs from the most significant end, then leaves in
// cache.
//
//   from     | chunk of thread 0 | chunk of thread 1 | ...     keys and values as they came
//   via      | bucket 0: from 0, from 1, .. | bucket 1 | ...   pairs, packed
//   landing  | leaf 0, sorted | leaf 1, sorted | ...           keys and values
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cpu/primitives/parallel/loops.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/msd/source.hpp"
#include "cpu/radix/pairs/lines.hpp"
#include "cpu/radix/pairs/state.hpp"

namespace sortlab::cpu::radix::pairs {

/// The sort itself. It works on bits instead of keys, in memory of the caller.
template <class Items>
class PairSort {
  using Bits = typename Items::Key;
  using State = PairState<Items>;
  using Pairs = PackedPairs<Items>;

  // How many successive partitions may use tables. Only digits certainly separate the keys.
  static constexpr int kDeepestTable = 3;
  // The aimed-for number of pairs in a leaf.
  static constexpr std::size_t kGoodLeaf = std::size_t{32} << 10;
  // The most pairs of a bucket that one of many threads sorts.
  // measured: 16 threads, ms: morton u32+u32 2^23 13.6 (half of a thread's part) vs 15.9 (a quarter); but exponential
  // 2^27 268 (4 million) vs 219 (2 million); xeon16/attempts/pairs.9.txt
  static constexpr std::size_t kMostAlone = std::size_t{1} << 21;
  // With fewer buckets, counters wait for their own previous change.
  static constexpr int kFewestBits = 6;
  // If a sample suggests a larger bucket than this, the widest digit is worth its cost where pairs
  // are buffered in lines. Random keys have no such bucket.
  static constexpr std::size_t kSkewedBucket = 4 * kPairLeafItems;
  // How many pairs ahead a buffer's line is prefetched.
  static constexpr std::size_t kAhead = 16;

 public:
  struct Settings {
    Isa isa;
    std::size_t stream_from_bytes;               // smaller sorts stay in the caches
    std::size_t widest_from_bytes;               // skewed keys of larger ones take the widest digit
    bool fetch_lines;                            // prefetches the lines of the buffers
    void (*restore)(void* bits, std::size_t n);  // turns bits into keys; null: they are keys
  };

  PairSort(State* states, const Settings& settings) : states_(states), settings_(settings) {}

  /// The workers: `threads` threads with the states from `first` on, after `depth` partitions.
  struct Crew {
    int threads;
    int first = 0;
    int depth = 0;
  };

  /// Sorts n pairs of `from` through `via` into `landing`, which may be `from`.
  void sort(const Source<Items>& from, Pairs via, Items landing, std::size_t n,
            const Crew& crew) const {
    std::size_t begin[kMaxBuckets + 1];
    const bool stream = is_streamed(n);
    const auto classifier = partition(from, via, n, crew, stream, begin);
    if (!classifier) return land_alike(landing, n, crew.threads);
    const std::size_t buckets = classifier->buckets();
    const int width = classifier->table == nullptr ? classifier->digit.shift : kUnknownWidth;

    const auto size = [&](std::size_t b) { return begin[b + 1] - begin[b]; };
    // All threads sort a bucket that would keep one thread busy long after the others are done.
    const std::size_t share =
        crew.threads == 1 ? n : std::clamp(n / (2 * crew.threads), kPairLeafItems, kMostAlone);
    // Large ones first, so that the threads end at about the same time; the others in the order of memory.
    const auto is_large = [&](std::size_t b) {
      return crew.threads > 1 && size(b) * buckets > 2 * n;
    };
    std::uint16_t order[kMaxBuckets];
    std::size_t count = 0;
    for (const bool large : {true, false}) {
      for (std::size_t b = 0; b < buckets; ++b) {
        if (size(b) > 0 && size(b) <= share && is_large(b) == large) {
          order[count++] = static_cast<std::uint16_t>(b);
        }
      }
    }
    std::atomic<std::size_t> unclaimed = 0;
    on_all_threads(crew.threads, [&](int t) {
      for (std::size_t i = unclaimed++, following; i < count; i = following) {
        following = unclaimed++;
        const std::size_t b = order[i];
        const Pairs bucket = via.from(begin[b]);
        const Items target = landing.from(begin[b]);
        const Crew me{1, crew.first + t, crew.depth + 1};
        if (size(b) > kPairLeafItems) {
          sort_again(bucket, target, size(b), me);
          continue;
        }
        Ahead ahead;
        if (following < count) {
          const std::size_t next = order[following];
          ahead = {via.from(begin[next]).bytes(), via.from(begin[next + 1]).bytes()};
        }
        states_[me.first].sort_leaf(bucket, target, size(b), width, settings_.isa,
                                    LeafOutput{settings_.restore, stream}, ahead);
      }
    });
    for (std::size_t b = 0; b < buckets; ++b) {
      if (size(b) > share) {
        sort_again(via.from(begin[b]), landing.from(begin[b]), size(b),
                   {crew.threads, crew.first, crew.depth + 1});
      }
    }
  }

  /// Sorts pairs that fit into a leaf in place.
  void sort_leaf(Items pairs, std::size_t n) const {
    states_[0].sort_leaf(pairs, pairs, n, kUnknownWidth, settings_.isa,
                         LeafOutput{settings_.restore, false}, {});
  }

  /// Sorts n pairs in place as one leaf, with DealMemory::bytes(n) of memory.
  void sort_large_leaf(Items pairs, std::size_t n, std::byte* memory) const {
    const DealMemory<Items> pieces = DealMemory<Items>::in(memory, n, states_[0].leaf.rooms);
    states_[0].sort_leaf(pairs, pairs, n, kUnknownWidth, pieces, settings_.isa,
                         LeafOutput{settings_.restore, false}, {});
  }

 private:
  /// Sorts a bucket that is too large for a leaf.
  void sort_again(Pairs bucket, Items landing, std::size_t n, const Crew& crew) const {
    State* const states = states_ + crew.first;
    const Bits some_key = bucket.key(0);
    on_all_threads(crew.threads, [&](int t) {
      const std::size_t first = chunk_begin(n, crew.threads, t);
      const std::size_t last = chunk_begin(n, crew.threads, t + 1);
      states[t].differing = states[t].copy(bucket.from(first), landing.from(first), last - first,
                                           some_key, settings_.isa, is_streamed(n));
    });
    if (width_of_all(states, crew.threads) == 0) return land_alike(landing, n, crew.threads);
    sort({landing.keys, landing.values, load_bits<Bits>}, bucket, landing, n, crew);
  }

  bool is_streamed(std::size_t n) const { return n * Pairs::kBytes >= settings_.stream_from_bytes; }

  /// Pairs whose keys are all the same bits are sorted already. (The user's own pairs with equal
  /// keys are in order, so they never come here.)
  void land_alike(Items landing, std::size_t n, int threads) const {
    if (settings_.restore == nullptr) return;
    on_all_threads(threads, [&](int t) {
      const std::size_t first = chunk_begin(n, threads, t);
      settings_.restore(landing.keys + first, chunk_begin(n, threads, t + 1) - first);
    });
  }

  /// Moves n pairs of `from` to their buckets in `to`; bucket b becomes [begin[b], begin[b + 1]).
  /// Returns the classifier of the buckets; if all keys are equal, returns nothing and moves
  /// nothing.
  std::optional<Classifier> partition(const Source<Items>& from, Pairs to, std::size_t n,
                                      const Crew& crew, bool stream, std::size_t* begin) const {
    State* const states = states_ + crew.first;
    const auto classifier =
        count_buckets(from, n, crew.threads, states, states[0].sample(), crew.depth < kDeepestTable,
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
  Settings settings_;
};

}  // namespace sortlab::cpu::radix::pairs

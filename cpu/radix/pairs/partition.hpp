// The partition of cpu/radix/pairs: moves pairs to buckets by a digit from the most significant end.
//
//   from  | chunk of thread 0 | chunk of thread 1 | ...     keys and values
//   to    | bucket 0: from 0, from 1, .. | bucket 1 | ...   pairs, packed
#pragma once

#include <algorithm>
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

}  // namespace sortlab::cpu::radix::pairs

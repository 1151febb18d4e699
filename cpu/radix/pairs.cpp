// Radix sort of pairs: radix/hybrid with packed pairs, and networks in place of its last passes.
//
// Over radix/hybrid: pairs are packed, and a leaf is distributed once more and sorted in registers.
// - Between the partition and the leaves a pair is one piece of memory, 8 or 12 bytes. It takes one
//   store instead of two for separate keys and values, and half the cache lines in flight. So a
//   partition's buffers can be twice as long, and 2048 buckets are enough where hybrid partitions
//   twice.
// - A leaf is distributed once more by up to 10 bits, to pieces of 80 to 160 pairs. It is not
//   counted first: each piece has room for more pairs than expected. If keys are clustered, a
//   sample makes the digit, finer where there are more keys, and sets the sizes of the rooms. Bits
//   that are equal in all keys of a leaf are left out.
// - A piece is sorted in registers, as numbers made of the rest of the key and of the pair's place.
//   These all differ, so the result is stable although the network is not. Then the pairs are
//   moved. Runs of pairs are sorted again if their numbers had no room for the bits that
//   distinguish them.
// - If half of a bucket that is too large for a leaf has one key, the values of that key go straight
//   to the result. Other such buckets are partitioned again, by all threads or by one that leaves
//   the parts to all.
// - It prefetches: the next keys to count, the next leaf while this one is sorted, and on Intel's
//   CPUs the buffer of the pair that comes 16 pairs later.
//
//   data       | keys and values as they came
//   workspace  | bucket 0: k v, k v, .. | bucket 1 | ...    bits in the order asked for
//   data       | leaf 0 sorted | leaf 1 sorted | ...        one buffer per thread
//
// The first row that fits decides (sort()):
//
//   pairs                                     sorted by
//   at most 24                                insertion sort
//   in order or in reverse order              one read, and a reversal (msd/counting.hpp)
//   at most 512, SIMD                         one piece of a leaf (PairFew)
//   one thread, at most 4 M, of few           counting; values alone are moved
//     differing bits (narrow_digit.hpp)
//   one thread, at most 96 K                  one leaf, in place
//   2^16 and more (2^14 per thread), of at     counting; values alone are scattered
//     most 64 keys
//   one thread, at most 256 K, SIMD;          one large leaf
//     at most 1 M if neighbours are close
//   all else                                  a partition, then leaves
//
// Memory traffic: a pair with a u32 key is read and written twice, and its key read once more: 36
// bytes; with a u64 key 56.
// Gain over radix/hybrid, uniform keys, AVX-512: 2^27 on 16 threads, u32+u32 2.6x to 3.0x faster,
// u64+u32 2.4x; 2^24 on one thread, 2.0x and 2.1x (xeon16, pairs.7.txt). Experiments:
// docs/lab/cpu/radix/pairs.md.
//
// The sampled digit, one thread, 512 K pairs with the keys of real programs: up to 2.2x faster than
// a leaf's digit of plain bits (results/emr2/pairs.csv).
// Large buckets in lists of parts, 16 threads, before and after in turns: 1.07x to 1.4x faster on most
// keys of programs that have such buckets, edges of graphs 1.05x slower
// (results/xeon16/attempts/pairs.10.txt).
//
// Stable. Any n. Extra memory: n pairs, and 4 or 6 MiB per thread; one thread with up to 1 M pairs: 4n
// pairs. Without SIMD the leaves are hybrid's, and there are no large ones.
// Limits: a bucket too large for a leaf is unpacked first. So keys with many zero bits may take
// longer than with hybrid, whose partition already sorts them.
//
// Source: as for radix/hybrid; the sort by numbers in registers is our own.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "common/contract/usable_cpus.hpp"
#include "common/contract/variant.hpp"
#include "cpu/primitives/narrow_digit.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/pairs/few_keys.hpp"
#include "cpu/radix/pairs/state.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {
using primitives::may_be_narrow;
using primitives::parallel::at_hand, primitives::parallel::kItemsPerThread,
    primitives::parallel::threads_for;

// All other pairs: a partition from the most significant end, then leaves in cache.
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

// The partition: moves pairs to buckets by a digit from the most significant end.
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

// The choice among them.

// With one thread, up to this many pairs are distributed to pieces directly; up to the second
// number, if neighbours in memory are often close in the order, too.
// measured: u32+u32, Mpairs/s: 2^18 Morton codes 194 (so) vs 105 (partitioned first); 2^19, 181 vs 110,
// but uniform 147 vs 180; results/emr2/pairs.csv has the whole sort
constexpr std::size_t kLargeLeafItems = std::size_t{256} << 10;
constexpr std::size_t kLargestLeafItems = std::size_t{1} << 20;

/// From so many pairs on, and so many per thread, few keys are worth counting. It wakes the threads more often than
/// other sorts do.
/// measured: experts, 100,003 pairs, 16 threads, us: u32 116 (radix/hybrid) vs 198 (counted), u64 168 vs 232;
/// 1,000,003: u32 924 vs 881; results/xeon16/attempts/choice.1.txt.xz
constexpr std::size_t kLeastCounted = std::size_t{1} << 16;
constexpr std::size_t kLeastCountedShare = std::size_t{1} << 14;

/// Whether one thread sorts all pairs as a leaf, in place.
bool is_leaf(std::size_t n, int threads) { return threads == 1 && n <= kPairLeafItems; }

/// Whether they are one piece of a leaf.
bool is_few(std::size_t n, Isa isa) { return n <= kFewPairs && isa != Isa::scalar; }

/// Whether they may be one leaf with more memory than a thread has for leaves.
bool may_be_large_leaf(std::size_t n, int threads) {
  return threads == 1 && n <= kLargestLeafItems;
}

/// On AMD's CPUs a partition through buffers pays from 2 MiB on.
/// measured: uniform, 1 thread, Mpairs/s: 2^20 u32 256 (from 2 MiB) vs 190 (from 32 MiB), 2^21 u64 158
/// vs 116; but heavy u64 137 vs 154 at 2^19; zen5, results/zen5/one_thread.csv
/// On others with several threads it pays from 8 MiB on.
/// measured: uniform, 16 threads, Mpairs/s: 2^20 u64 725 (from 8 MiB) vs 356 (from 32 MiB), u32 1009 vs
/// 853; but morton u32 728 vs 786; results/xeon16/attempts/pairs.10.txt
std::size_t partition_stream_from(std::size_t stream_from, int threads) {
  return stream_from / (cpu_is_amd() ? 16 : threads > 1 ? 4 : 1);
}

template <class Bits>
std::size_t workspace_bytes(std::size_t n, int threads, Isa isa) {
  using Pairs = Items<Bits, std::uint32_t>;
  if (is_few(n, isa)) return PairFewMemory<Pairs>::bytes_for(n);
  std::size_t more = n * PackedPairs<Pairs>::kBytes;
  if (may_be_large_leaf(n, threads)) more = DealMemory<Pairs>::bytes(n);
  if (is_leaf(n, threads)) more = 0;
  return static_cast<std::size_t>(threads) * sizeof(PairState<Pairs>) + more;
}

/// What the sort needs beside the pairs.
struct Means {
  std::byte* workspace;  // of workspace_bytes()
  int threads;           // for which that is
  Isa isa;
  std::size_t
      stream_from_bytes;  // of more than a few pairs: as much as moves with non-temporal stores
};

/// Sorts n pairs, stably.
template <Order kOrder, class Key, class Value>
void sort(Items<Key, Value> pairs, std::size_t n, const Means& means) {
  using Form = BitForm<Key, Value, kOrder>;
  using Bits = typename Form::BitItems;
  using Packed = PackedPairs<Bits>;
  const int threads =
      means.threads > 1 ? at_hand(means.threads) : 1;  // fewer may be ready to work now
  const Bits data = Form::of(pairs);
  const auto digit = n > kFewPairs && may_be_narrow(n, threads)
                         ? NarrowDigit<BitsOf<Key>>::of(data.keys, n)
                         : std::nullopt;
  if (digit && digit->values() == 1) return;
  if (sort_at_a_look(pairs, n, threads, KeyLess<Key, kOrder>())) return;

  const LeafOutput into_place{Form::restore(), false};
  if (is_few(n, means.isa)) {
    Form::make(pairs.keys, n);
    return sort_few(data, n, PairFewMemory<Bits>(means.workspace, n), means.isa, into_place);
  }

  auto* const states = reinterpret_cast<PairState<Bits>*>(means.workspace);
  const Source<Bits> source = Form::source(pairs);
  const Packed via(reinterpret_cast<std::byte*>(states + threads));
  const bool leaf = is_leaf(n, threads);
  if (digit) {
    return sort_narrow_keys(*digit, source, leaf ? states[0].leaf.bytes : via.bytes(), data, n,
                            states[0], Form::restore());
  }
  if (leaf) {
    Form::make(pairs.keys, n);
    return states[0].sort_leaf(data, data, n, kUnknownWidth, means.isa, into_place, {});
  }
  if (n >= kLeastCounted && n / threads >= kLeastCountedShare &&
      sort_few_keys(source, via.bytes(), data, n, threads, states,
                    n * Packed::kBytes >= means.stream_from_bytes, Form::restore())) {
    return;
  }
  if (may_be_large_leaf(n, means.threads) && means.isa != Isa::scalar &&
      (n <= kLargeLeafItems || neighbours_are_close(source, n))) {
    Form::make(pairs.keys, n);
    const auto pieces = DealMemory<Bits>::in(via.bytes(), n, states[0].leaf.rooms);
    return pair_leaf::sort(data, data, n, kUnknownWidth, pieces, states[0].leaf, means.isa,
                           into_place, {});
  }
  const PairSettings settings{
      .isa = means.isa,
      .stream_from_bytes = partition_stream_from(means.stream_from_bytes, threads),
      .widest_from_bytes = means.stream_from_bytes,
      .fetch_lines = cpu_is_intel(),
      .restore = Form::restore()};
  PairSort<Bits>(states, threads, settings, via, data, n).sort(source);
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs

namespace sortlab {
namespace {
using namespace cpu::radix::pairs;

struct MsdPairs {
  static constexpr ParamSpec kParams[] = {
      {.name = "stream_from_mib",
       .fallback = 32,
       .min = 0,
       .max = 1 << 20,
       .help =
           "the least MiB of pairs that move with non-temporal stores; a partition moves so from a "
           "sixteenth of it on AMD's CPUs, from a quarter with several threads on others"}};
  static constexpr Info info{.summary = "MSD once, packed; one digit in cache, then SIMD networks",
                             .source = "Stehle and Jacobsen 2017; Kokot et al. 2017",
                             .after = "cpu/radix/hybrid",
                             .candidate = Candidate{.rank = 1},
                             .stable = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    if (request.n <= kInsertionItems) return 0;
    const int threads = threads_for(request.n, kItemsPerThread, request.threads);
    const Isa isa = request.isa.value_or(Isa::scalar);
    return request.key_bytes == 8
               ? cpu::radix::pairs::workspace_bytes<std::uint64_t>(request.n, threads, isa)
               : cpu::radix::pairs::workspace_bytes<std::uint32_t>(request.n, threads, isa);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    Means means{job.workspace.data(), threads_for(job.n, kItemsPerThread, job.threads), job.isa, 0};
    // A look at the parameters would take long beside the sort of a few pairs.
    if (!is_few(job.n, job.isa)) {
      means.stream_from_bytes = static_cast<std::size_t>(job.params["stream_from_mib"]) << 20;
    }
    cpu::radix::pairs::sort<Job::kOrder>(job.data, job.n, means);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MsdPairs, AllKeys, TypeList<std::uint32_t>);

}  // namespace
}  // namespace sortlab

// Radix sort, most significant digit once into buckets that fit a core's own cache, then each bucket
// sorted there (leaf.hpp).
//
// Over radix/parallel it gains in traffic: an LSD sort moves every key through memory once a digit, 4
// or 8 times; here memory sees one read to count, one pass that moves, and one read and write by the
// leaves: 20 bytes a u32 key where LSD base 256 has 36, 40 a u64 key instead of 136. The leaves run on
// all threads without a word to each other. It also looks before it sorts: input that is in order, or
// in the opposite one, costs one read.
//
// The digit lies right below the bits that all keys share (a sample guesses them, the count makes
// sure), so a narrow range of keys is no worse than a wide one. A bucket too large for a cache is
// partitioned again, by all threads when it is a large share of the input, else by one.
//
//   data       | chunk of thread 0 | chunk of thread 1 | ...          as they came
//   alternate  | bucket 0: from 0, from 1, .. | bucket 1 | ...        bits in the order asked for
//   alternate  | leaf 0 sorted | leaf 1 sorted | ...                  through a buffer a thread
//
// Stable. Any n. Extra memory: n items, and about 1 MiB a thread.
//
// Source: Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", SIGMOD 2017
// (the idea); Kokot et al., "Even faster sorting of (not only) integers", 2017 (RADULS2).
#include <omp.h>

#include <algorithm>
#include <bit>
#include <new>
#include <type_traits>

#include "common/variant.hpp"
#include "cpu/primitives/on_all_threads.hpp"
#include "cpu/radix/leaf.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab {
namespace {
using namespace radix;

constexpr int kMaxDigitBits = 11;
constexpr std::size_t kMaxBuckets = std::size_t{1} << kMaxDigitBits;

// Keys and values of a leaf, and as much of temp, fit half of the second-level caches of today's
// servers (1 and 2 MiB).
constexpr std::size_t kLeafBytes = std::size_t{384} << 10;

// What is read from memory is turned into bits a block at a time; a block stays in the first-level
// cache.
constexpr std::size_t kBlockItems = 2048;

// Keys that the position of the first digit is guessed from.
constexpr std::size_t kSample = 64;

// A thread is worth its start from about this many items on.
constexpr std::size_t kItemsPerThread = std::size_t{1} << 12;

template <class Items>
constexpr std::size_t kItemBytes = sizeof(typename Items::Key) + kValueBytes<typename Items::Value>;

template <class Items>
constexpr std::size_t kLeafItems = kLeafBytes / kItemBytes<Items>;

/// What one thread works with.
template <class Items>
struct alignas(kLineBytes) ThreadState {
  std::size_t counts[kMaxBuckets];
  typename Items::Key differing;
  Buckets<kMaxBuckets> buckets;
  LeafCounts leaf_counts;
  alignas(kLineBytes) typename Items::Key block[kBlockItems];
  alignas(kLineBytes) typename Items::Key leaf_keys[kLeafItems<Items>];
  alignas(
      kLineBytes) std::conditional_t<Items::kPairs, typename Items::Value,
                                     NoValue> leaf_values[Items::kPairs ? kLeafItems<Items> : 1];

  Items temp() {
    if constexpr (Items::kPairs) {
      return {leaf_keys, leaf_values};
    } else {
      return {leaf_keys, nullptr};
    }
  }
};

/// Keys to be read as bits: as the user gave them (`load` turns them into bits), or bits already.
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

/// Where the share of thread t in n items begins.
constexpr std::size_t chunk_begin(std::size_t n, int threads, int t) {
  return n / threads * t + n % threads * t / threads;
}

/// The sort itself: bits, not keys, and memory that the caller lends.
///
/// Two arrays take turns: items are partitioned from one into the other, and buckets end as sorted
/// keys in `landing`, which is always the same one of the two.
template <class Items>
class Hybrid {
  using Bits = typename Items::Key;
  using State = ThreadState<Items>;

 public:
  struct Settings {
    Isa isa;
    std::size_t stream_from_bytes;               // smaller partitions stay in the caches
    void (*restore)(void* bits, std::size_t n);  // makes keys of bits; null: they are keys
  };

  Hybrid(State* states, const Settings& settings) : states_(states), settings_(settings) {}

  /// Sorts n items of `from`: through `via`, and `other` for buckets that are partitioned again,
  /// into `landing`. With one thread, `me` is the one that does it.
  void sort(const Source<Items>& from, Items via, Items other, Items landing, std::size_t n,
            int threads, int me) const {
    std::size_t begin[kMaxBuckets + 1];
    const std::size_t buckets = partition(from, via, n, threads, me, begin);
    if (buckets == 0) return land_alike(from, landing, n, threads);
    if (threads == 1) {
      for (std::size_t b = 0; b < buckets; ++b) {
        sort_bucket(via, other, landing, begin[b], begin[b + 1], me);
      }
      return;
    }
    // What would keep one thread busy for long after the others are done is for all of them.
    const std::size_t share = std::max(kLeafItems<Items>, n / (4 * threads));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (std::size_t b = 0; b < buckets; ++b) {
      if (begin[b + 1] - begin[b] > share) continue;
      sort_bucket(via, other, landing, begin[b], begin[b + 1], omp_get_thread_num());
    }
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::size_t size = begin[b + 1] - begin[b];
      if (size > share) {
        sort(bits_at(via, begin[b]), other.from(begin[b]), via.from(begin[b]),
             landing.from(begin[b]), size, threads, 0);
      }
    }
  }

  /// Sorts bits that fit a leaf, in place.
  void sort_leaf(Items from, Items to, std::size_t n, int me) const {
    State& state = states_[me];
    Leaf<Items>(state.temp(), state.leaf_counts).sort(from, to, n);
    if (settings_.restore != nullptr) settings_.restore(to.keys, n);
  }

 private:
  struct Digit {
    int shift;
    int bits;
    std::size_t operator()(Bits key) const {
      return static_cast<std::size_t>(key >> shift) & ((std::size_t{1} << bits) - 1);
    }
    std::size_t buckets() const { return std::size_t{1} << bits; }
    int top() const { return shift + bits; }
  };

  void sort_bucket(Items via, Items other, Items landing, std::size_t begin, std::size_t end,
                   int me) const {
    const std::size_t n = end - begin;
    if (n == 0) return;
    if (n <= kLeafItems<Items>) {
      sort_leaf(via.from(begin), landing.from(begin), n, me);
    } else {
      sort(bits_at(via, begin), other.from(begin), via.from(begin), landing.from(begin), n, 1, me);
    }
  }

  /// Items whose keys are all the same bits are sorted where they lie; that may not be `landing`.
  void land_alike(const Source<Items>& from, Items landing, std::size_t n, int threads) const {
    on_all_threads(threads, [&](int t) {
      const std::size_t first = chunk_begin(n, threads, t), last = chunk_begin(n, threads, t + 1);
      if (from.keys != landing.keys) {
        std::copy(static_cast<const Bits*>(from.keys) + first,
                  static_cast<const Bits*>(from.keys) + last, landing.keys + first);
        if constexpr (Items::kPairs) {
          std::copy(from.values + first, from.values + last, landing.values + first);
        }
      }
      if (settings_.restore != nullptr) settings_.restore(landing.keys + first, last - first);
    });
  }

  /// Moves n items of `from` to their buckets in `to`; bucket b becomes [begin[b], begin[b + 1]).
  /// Returns how many buckets there are; 0, and moves nothing, where all keys are alike.
  std::size_t partition(const Source<Items>& from, Items to, std::size_t n, int threads, int me,
                        std::size_t* begin) const {
    State* const states = threads == 1 ? states_ + me : states_;
    const auto chunk = [&](int t) { return chunk_begin(n, threads, t); };

    Digit digit = digit_below(guess_width(from, n, states[0].block), n, threads);
    while (true) {
      on_all_threads(threads,
                     [&](int t) { count(from, chunk(t), chunk(t + 1), digit, states[t]); });
      const int width = width_of_all(states, threads);
      if (width == 0) return 0;
      if (width <= digit.top()) break;
      digit = digit_below(width, n, threads);  // the sample missed a bit
    }

    const Destination<Items> destination(to);
    lay_out(states, threads, digit, destination.lead, begin);
    on_all_threads(threads, [&](int t) {
      scatter(from, chunk(t), chunk(t + 1), digit, destination, n, states[t]);
    });
    begin[digit.buckets()] = n;
    return digit.buckets();
  }

  static Source<Items> bits_at(Items items, std::size_t begin) {
    Source<Items> source{items.keys + begin, nullptr, load_bits<Bits>};
    if constexpr (Items::kPairs) source.values = items.values + begin;
    return source;
  }

  /// How many low bits a few keys, evenly spread over the input, differ in.
  static int guess_width(const Source<Items>& from, std::size_t n, Bits* block) {
    const auto key = [&](std::size_t i) { return *from.load(from.keys, i, 1, block); };
    const Bits first = key(0);
    Bits differing = 0;
    for (std::size_t i = 1; i < kSample; ++i) differing |= key(n / kSample * i) ^ first;
    return static_cast<int>(std::bit_width(differing));
  }

  /// The digit that ends where the `width` differing bits do, for buckets of about half a leaf and
  /// enough of them for all threads. Where one digit can't do that, two of equal width will.
  static Digit digit_below(int width, std::size_t n, int threads) {
    int bits = static_cast<int>(std::bit_width(2 * n / kLeafItems<Items>));
    if (threads > 1) bits = std::max(bits, static_cast<int>(std::bit_width(4u * threads)));
    if (bits > kMaxDigitBits && n >> kMaxDigitBits > kLeafItems<Items> * 3 / 4) bits = bits / 2 + 1;
    bits = std::clamp(bits, 1, std::min(kMaxDigitBits, std::max(width, 1)));
    return {std::max(0, width - bits), bits};
  }

  static void count(const Source<Items>& from, std::size_t first, std::size_t last, Digit digit,
                    State& state) {
    std::fill_n(state.counts, digit.buckets(), std::size_t{0});
    const Bits some_key = *from.load(from.keys, 0, 1, state.block);
    Bits differing = 0;
    from.for_each_block(first, last, state.block, [&](Items items, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) differing |= items.keys[i] ^ some_key;
      for (std::size_t i = 0; i < n; ++i) ++state.counts[digit(items.keys[i])];
    });
    state.differing = differing;
  }

  static int width_of_all(const State* states, int threads) {
    Bits differing = 0;
    for (int t = 0; t < threads; ++t) differing |= states[t].differing;
    return static_cast<int>(std::bit_width(differing));
  }

  /// Gives each thread its stretch of each bucket: by bucket first, by thread second.
  ///
  ///   to   | bucket 0: t0 t1 .. | bucket 1: t0 t1 .. | ...
  static void lay_out(State* states, int threads, Digit digit, std::size_t lead,
                      std::size_t* begin) {
    std::size_t place = lead;
    for (std::size_t b = 0; b < digit.buckets(); ++b) {
      begin[b] = place - lead;
      for (int t = 0; t < threads; ++t) {
        states[t].buckets.begin[b] = states[t].buckets.next[b] = place;
        place += states[t].counts[b];
      }
    }
  }

  void scatter(const Source<Items>& from, std::size_t first, std::size_t last, Digit digit,
               const Destination<Items>& to, std::size_t n, State& state) const {
    auto& buckets = state.buckets;
    if (n * kItemBytes<Items> < settings_.stream_from_bytes) {
      from.for_each_block(first, last, state.block, [&](Items items, std::size_t m) {
        for (std::size_t i = 0; i < m; ++i) {
          const auto item = items[i];
          to.items.put(buckets.next[digit(item.key)]++ - to.lead, item);
        }
      });
      return;
    }
    const auto by_lines = settings_.isa >= Isa::avx2
                              ? avx2::stream_by_lines<Items, Buckets<kMaxBuckets>, Digit>
                              : scalar::stream_by_lines<Items, Buckets<kMaxBuckets>, Digit>;
    from.for_each_block(first, last, state.block, [&](Items items, std::size_t m) {
      by_lines(items, m, to, digit, buckets);
    });
    empty_lines(to, buckets, digit.buckets());
    publish_lines();
  }

  State* states_;
  Settings settings_;
};

/// What a look at the keys as they came can tell.
enum class Sequence { ascending, descending, neither };

/// Whether keys[first, last) are in order, or each comes before the one in front of it (the strict
/// opposite, so that turning them round is stable). Gives up where neither can be any more.
template <class Job>
Sequence look_at(const typename Job::Key* keys, std::size_t first, std::size_t last) {
  const typename Job::Less less;
  bool ascending = true, descending = true;
  for (std::size_t i = first + 1; i < last && (ascending || descending); i += kBlockItems) {
    const std::size_t end = std::min(i + kBlockItems, last);
    std::size_t descents = 0;
    for (std::size_t k = i; k < end; ++k) descents += less(keys[k], keys[k - 1]);
    ascending = ascending && descents == 0;
    descending = descending && descents == end - i;
  }
  return ascending ? Sequence::ascending : descending ? Sequence::descending : Sequence::neither;
}

template <class Job>
Sequence look_at_all(const Job& job, int threads) {
  int ascending = 0, descending = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(+ : ascending, descending)
  for (int t = 0; t < threads; ++t) {
    // Chunks overlap by one key, or nobody would look at the pair on their border.
    const std::size_t first = chunk_begin(job.n, threads, t);
    const std::size_t last = std::min(job.n, chunk_begin(job.n, threads, t + 1) + 1);
    const Sequence sequence = look_at<Job>(job.data.keys, first, last);
    ascending += sequence == Sequence::ascending;
    descending += sequence == Sequence::descending;
  }
  return ascending == threads    ? Sequence::ascending
         : descending == threads ? Sequence::descending
                                 : Sequence::neither;
}

template <class Job>
void turn_round(const Job& job, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::size_t i = 0; i < job.n / 2; ++i) job.data.swap(i, job.n - 1 - i);
}

struct MsdHybrid {
  // As in radix/parallel: smaller output is better left in the last-level cache.
  static constexpr ParamSpec kParams[] = {
      {.name = "stream_from_mib",
       .fallback = 32,
       .min = 0,
       .max = 1 << 20,
       .help = "the least MiB of items that are partitioned with non-temporal stores"}};

  static constexpr Info info{.summary = "MSD once into buckets that fit the cache, LSD there",
                             .source = "Stehle and Jacobsen 2017; Kokot et al. 2017",
                             .after = "cpu/radix/parallel",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kScalarAndAvx2,
                             .params = kParams};

  template <class Job>
  using BitItems = Items<BitsOf<typename Job::Key>, typename Job::Value>;

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto state_bytes = [&](auto bits) {
      using Bits = decltype(bits);
      return request.value_bytes == 0 ? sizeof(ThreadState<Items<Bits, NoValue>>)
                                      : sizeof(ThreadState<Items<Bits, std::uint32_t>>);
    };
    return static_cast<std::size_t>(request.threads) *
           (request.key_bytes == 8 ? state_bytes(std::uint64_t{}) : state_bytes(std::uint32_t{}));
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Bits = BitsOf<Key>;
    using State = ThreadState<BitItems<Job>>;
    if (job.n <= kInsertionItems) {
      insertion_sort(job.data, 0, job.n, typename Job::Less{});
      return ResultIn::data;
    }
    const int threads = static_cast<int>(
        std::clamp<std::size_t>(job.n / kItemsPerThread, 1, static_cast<std::size_t>(job.threads)));
    switch (look_at_all(job, threads)) {
      case Sequence::descending:
        turn_round(job, threads);
        [[fallthrough]];
      case Sequence::ascending:
        return ResultIn::data;
      case Sequence::neither:
        break;
    }

    constexpr bool kKeysAreBits = std::is_same_v<Key, Bits> && Job::kOrder == Order::ascending;
    const Hybrid<BitItems<Job>> hybrid(
        reinterpret_cast<State*>(job.workspace.data()),
        {.isa = job.isa,
         .stream_from_bytes = static_cast<std::size_t>(job.params["stream_from_mib"]) << 20,
         .restore = kKeysAreBits ? nullptr : restore_keys<Key, Job::kOrder>});
    const BitItems<Job> data = as_bits(job.data), alternate = as_bits(job.alternate);
    if (threads == 1 && job.n <= kLeafItems<BitItems<Job>>) {
      if constexpr (!kKeysAreBits) to_bits<Key, Job::kOrder>(job.data.keys, job.n);
      hybrid.sort_leaf(data, data, job.n, 0);
      return ResultIn::data;
    }
    Source<BitItems<Job>> source{job.data.keys, nullptr, load_keys<Key, Job::kOrder>};
    if constexpr (kKeysAreBits) source.load = load_bits<Bits>;
    if constexpr (Job::kPairs) source.values = job.data.values;
    hybrid.sort(source, alternate, data, alternate, job.n, threads, 0);
    return ResultIn::alternate;
  }

 private:
  template <class Key, class Value>
  static Items<BitsOf<Key>, Value> as_bits(Items<Key, Value> items) {
    return {reinterpret_cast<BitsOf<Key>*>(items.keys), items.values};
  }
};
SORTLAB_REGISTER(MsdHybrid, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

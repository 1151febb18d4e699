// Radix sort that distributes once by the most significant digit, into buckets that fit into a
// core's own cache, and then sorts each bucket there (msd/leaf.hpp).
//
// Over radix/parallel it saves memory traffic: one pass moves the keys, while an LSD sort moves them
// once per digit, 4 or 8 times. Here it is one read to count, one pass, and one read and write by
// the leaves: 20 bytes per u32 key instead of 36, 40 per u64 key instead of 136. The leaves run on
// all threads without synchronization. Input in order or in reverse order takes one read.
//
// The first row that fits decides (MsdHybrid::sort(), Hybrid::sort()):
//
//   items                                    sorted by
//   few; in order or in reverse order        insertion; one read, and a reversal (msd/counting.hpp)
//   one thread, of a leaf's size             one leaf, in place
//   all else                                 a partition, if some keys differ; then of each bucket:
//     of a leaf's size                         a leaf, by the thread that is next
//     more than a quarter of a thread's share  a partition again, by all threads
//     larger than a leaf                       a partition again, by one thread
//
// The digit is right below the bits that all keys share (a sample guesses them, the count confirms
// it), so a narrow range of keys is no slower than a wide one. A bucket too large for a cache is
// partitioned again, by all threads if it is a large share of the input, else by one.
//
//   data       | chunk of thread 0 | chunk of thread 1 | ...          as they came
//   alternate  | bucket 0: from 0, from 1, .. | bucket 1 | ...        bits in the order asked for
//   alternate  | leaf 0 sorted | leaf 1 sorted | ...                  one buffer per thread
//
// Gain over radix/parallel, 2^24 uniform keys, two cores of an AMD EPYC (Zen 4): u32 1.7x faster, u64
// 3.9x, u32+u32 1.7x, u64+u32 4.6x; keys in order 36x and more (results/amd2/radix.csv.xz).
// Experiments: docs/lab/cpu/radix/hybrid.md.
//
// Stable. Any n. Extra memory: n items, and about 1 MiB per thread.
//
// Bytes per u32 key: 20.
// Source: Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", SIGMOD 2017
// (the idea); Kokot et al., "Even faster sorting of (not only) integers", 2017 (RADULS2).
#include <algorithm>
#include <bit>
#include <type_traits>

#include "common/contract/variant.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/msd/leaf.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix::hybrid {

// The sort behind radix/hybrid: a partition from the most significant end, then leaves in cache.
//
//   from     | chunk of thread 0 | chunk of thread 1 | ...     as they came
//   via      | bucket 0: from 0, from 1, .. | bucket 1 | ...   bits in the order asked for
//   landing  | leaf 0, sorted | leaf 1, sorted | ...           one buffer per thread

using namespace msd;

// Keys and values of a leaf, and as much of temp, fit the second-level caches of today's servers (1
// and 2 MiB).
inline constexpr std::size_t kLeafBytes = std::size_t{384} << 10;

// How many successive partitions may use tables. Only digits certainly separate the keys.
inline constexpr int kDeepestTable = 3;

// The most beginnings of buckets of all partitions that are under way at once: those by tables, and digits
// that divide the bits of a key.
template <class Bits>
constexpr std::size_t kMostBegins =
    (kDeepestTable + 8 * sizeof(Bits) / kMaxDigitBits + 1) * kMaxBuckets + 8 * sizeof(Bits);

template <class Items>
constexpr std::size_t kItemBytes = sizeof(typename Items::Key) + kValueBytes<typename Items::Value>;

template <class Items>
constexpr std::size_t kLeafItems = kLeafBytes / kItemBytes<Items>;

/// The memory of one thread.
template <class Items>
struct alignas(kLineBytes) ThreadState : CountState<typename Items::Key> {
  Buckets<kMaxBuckets> buckets;
  std::size_t begins[kMostBegins<typename Items::Key>];
  LeafCounts leaf_counts;
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

/// The sort itself. It works on bits instead of keys, in memory of the caller.
///
/// Two arrays take turns: a partition moves items from one into the other. Sorted keys always end
/// in `landing`, which is one of the two.
template <class Items>
class Hybrid {
  using Bits = typename Items::Key;
  using State = ThreadState<Items>;

 public:
  struct Settings {
    Isa isa;
    std::size_t stream_from_bytes;               // smaller partitions stay in the caches
    void (*restore)(void* bits, std::size_t n);  // turns bits into keys; null: they are keys
  };

  Hybrid(State* states, const Settings& settings) : states_(states), settings_(settings) {}

  /// Sorts n items of `from`: through `via`, and `other` for buckets that are partitioned again,
  /// into `landing`, which is one of the two.
  void sort(const Source<Items>& from, Items via, Items other, Items landing, std::size_t n,
            int threads) const {
    sort(from, via, other, landing, n, Crew{threads, 0, 0, states_[0].begins});
  }

  /// Sorts bits that fit a leaf, in place.
  void sort_leaf(Items from, Items to, std::size_t n, int me) const {
    State& state = states_[me];
    Leaf<Items>(state.temp(), state.leaf_counts).sort(from, to, n);
    if (settings_.restore != nullptr) settings_.restore(to.keys, n);
  }

 private:
  /// The workers: `threads` threads with the states from `first` on, after `depth` partitions.
  /// `begins`: memory for the beginnings of buckets, because they are large for a stack.
  struct Crew {
    int threads, first, depth;
    std::size_t* begins;
  };

  void sort(const Source<Items>& from, Items via, Items other, Items landing, std::size_t n,
            const Crew& crew) const {
    std::size_t* const begin = crew.begins;
    const std::size_t buckets = partition(from, via, n, crew, begin);
    if (buckets == 0) return land_alike(from, landing, n, crew.threads);

    const auto sort_bucket = [&](std::size_t b, const Crew& by) {
      const std::size_t size = begin[b + 1] - begin[b];
      const Items bucket = via.from(begin[b]), target = landing.from(begin[b]);
      if (size == 0) return;
      if (size <= kLeafItems<Items>) return sort_leaf(bucket, target, size, by.first);
      sort(bits_of(bucket), other.from(begin[b]), bucket, target, size, by);
    };
    std::size_t* const rest = begin + buckets + 1;
    // All threads sort a bucket that would keep one thread busy long after the others are done.
    const std::size_t share =
        crew.threads == 1 ? n : std::max(kLeafItems<Items>, n / (4 * crew.threads));
    const auto is_large = [&](std::size_t b) { return begin[b + 1] - begin[b] > share; };
    primitives::parallel::for_each_part(buckets, crew.threads, [&](std::size_t b, int t) {
      const int me = crew.first + t;
      if (!is_large(b)) sort_bucket(b, {1, me, crew.depth + 1, t == 0 ? rest : states_[me].begins});
    });
    for (std::size_t b = 0; b < buckets; ++b) {
      if (is_large(b)) sort_bucket(b, {crew.threads, crew.first, crew.depth + 1, rest});
    }
  }

  /// Items whose keys are all the same bits are sorted already, but may not be in `landing`.
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
  /// Returns the number of buckets; if all keys are equal, returns 0 and moves nothing.
  std::size_t partition(const Source<Items>& from, Items to, std::size_t n, const Crew& crew,
                        std::size_t* begin) const {
    State* const states = states_ + crew.first;
    const auto chunk = [&](int t) { return chunk_begin(n, crew.threads, t); };

    const auto classifier = count_buckets(
        from, n, crew.threads, states, states[0].leaf_keys, crew.depth < kDeepestTable,
        [&](int width, auto) { return digit_bits(n, width, crew.threads); });
    if (!classifier) return 0;

    const Destination<Items> destination(to);
    lay_out(states, crew.threads, classifier->buckets(), destination.lead, begin);
    on_all_threads(crew.threads, [&](int t) {
      scatter(from, chunk(t), chunk(t + 1), *classifier, destination, n, states[t]);
    });
    return classifier->buckets();
  }

  static Source<Items> bits_of(Items items) { return {items.keys, items.values, load_bits<Bits>}; }

  /// Enough bits for buckets of about half a leaf, and for some buckets per thread. If buckets do
  /// not become too small, enough bits that a leaf's two digits cover all remaining bits. If one
  /// pass can't make buckets small enough, two passes of equal width do.
  static int digit_bits(std::size_t n, int width, int threads) {
    constexpr int kLeafBits = kLeafPasses * kLeafDigitBits;
    constexpr std::size_t kSmallLeaf = 4096;
    int bits = static_cast<int>(std::bit_width(2 * n / kLeafItems<Items>));
    if (threads > 1) bits = std::max(bits, static_cast<int>(std::bit_width(4u * threads)));
    if (width > kLeafBits && width - kLeafBits <= kMaxDigitBits &&
        n >> (width - kLeafBits) >= kSmallLeaf) {
      bits = std::max(bits, width - kLeafBits);
    }
    if (n >> kMaxDigitBits > kLeafItems<Items> * 3 / 4) bits = bits / 2 + 1;
    return std::min(bits, kMaxDigitBits);
  }

  void scatter(const Source<Items>& from, std::size_t first, std::size_t last,
               const Classifier& classifier, const Destination<Items>& to, std::size_t n,
               State& state) const {
    auto& buckets = state.buckets;
    const bool stream = n * kItemBytes<Items> >= settings_.stream_from_bytes;
    classifier.visit([&](auto bucket_of) {
      from.for_each_block(first, last, state.block, [&](Items items, std::size_t m) {
        if (!stream) {
          scatter_plain(items, m, to, bucket_of, buckets);
        } else if (settings_.isa >= Isa::avx2) {
          wide::stream_by_lines(items, m, to, bucket_of, buckets);
        } else {
          scalar::stream_by_lines(items, m, to, bucket_of, buckets);
        }
      });
    });
    if (!stream) return;
    empty_lines(to, buckets, classifier.buckets());
    publish_lines();
  }

  State* states_;
  Settings settings_;
};

/// Sorts n items, more than kInsertionItems, stably. `workspace` has a ThreadState for each thread. Partitions of
/// stream_from_bytes and more bypass the caches.
template <Order kOrder, class Key, class Value>
ResultIn sort(Items<Key, Value> data, Items<Key, Value> alternate, std::size_t n,
              std::byte* workspace, int threads, Isa isa, std::size_t stream_from_bytes) {
  using Form = BitForm<Key, Value, kOrder>;
  using BitItems = typename Form::BitItems;
  const Hybrid<BitItems> hybrid(
      reinterpret_cast<ThreadState<BitItems>*>(workspace),
      {.isa = isa, .stream_from_bytes = stream_from_bytes, .restore = Form::restore()});
  const BitItems bits = Form::of(data), other = Form::of(alternate);
  if (threads == 1 && n <= kLeafItems<BitItems>) {
    Form::make(data.keys, n);
    hybrid.sort_leaf(bits, bits, n, 0);
    return ResultIn::data;
  }
  hybrid.sort(Form::source(data), other, bits, other, n, threads);
  return ResultIn::alternate;
}

}  // namespace sortlab::cpu::radix::hybrid

namespace sortlab {
namespace {
using namespace cpu::radix::hybrid;

using cpu::primitives::parallel::at_hand, cpu::primitives::parallel::kItemsPerThread,
    cpu::primitives::parallel::threads_for;

struct MsdHybrid {
  // As in radix/parallel: smaller output should stay in the last-level cache.
  static constexpr ParamSpec kParams[] = {
      {.name = "stream_from_mib",
       .fallback = 32,
       .min = 0,
       .max = 1 << 20,
       .help = "the least MiB of items that are partitioned with non-temporal stores"}};

  static constexpr Info info{.summary = "MSD once into buckets that fit the cache, LSD there",
                             .source = "Stehle and Jacobsen 2017; Kokot et al. 2017",
                             .after = "cpu/radix/team",
                             .candidate = Candidate{.rank = 2},
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kScalarAndAvx2,
                             .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    if (request.n <= kInsertionItems) return 0;
    const auto state_bytes = []<class Bits, class Value>(Bits, Value) {
      return sizeof(ThreadState<Items<Bits, Value>>);
    };
    return static_cast<std::size_t>(threads_for(request.n, kItemsPerThread, request.threads)) *
           visit_widths(request.key_bytes, request.value_bytes, state_bytes);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const int threads = at_hand(threads_for(job.n, kItemsPerThread, job.threads));
    if (sort_at_a_look(job.data, job.n, threads, typename Job::Less())) return ResultIn::data;
    return cpu::radix::hybrid::sort<Job::kOrder>(
        job.data, job.alternate, job.n, job.workspace.data(), threads, job.isa,
        static_cast<std::size_t>(job.params["stream_from_mib"]) << 20);
  }
};
SORTLAB_REGISTER(MsdHybrid, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Radix sort on vectors: two distributions from the most significant end, then networks of minimum
// and maximum over the rest of each key.
//
// Over radix/hybrid: keys are moved without counting them first; digits are parts of the keys'
// range, as many as suit the caches, not powers of two; registers sort the rest, 32-bit keys in
// lanes of 16 bits. Over quick/simd: a digit is a multiplication and a store, while a tree of
// partitions moves a key once per level.
//
//   data      | batch | batch | ...                  a thread that is done takes the next one
//   scratch   |  slot 0 . . | |  slot 1 . . | | ..   a batch, scattered by its first digit
//   alternate | block | block | ...                  buckets: chains of blocks, whole cache lines
//   scratch   | slot 0 . . | slot 1 . . | ...        a bucket, scattered by its second digit
//   data      | slot 0, sorted | slot 1, sorted | .. in registers, through lines that are full
//
// A slot has room for its share of evenly spread keys plus seven standard deviations, and keys are
// written without a check of the room. A check afterwards finds slots with too many keys. Then a
// batch is counted and scattered again, and a bucket is sorted by pivots instead.
//
// A sample shows how the keys are spread. The first row that fits decides (Sorter::sort()):
//
//   keys                                      sorted by
//   at most 32 KiB                            partitions and networks, in place
//   in order or in reverse order              one read, and a reversal
//   one thread, 4 bytes, few differing bits   counting (sort_narrow())
//   a range so narrow that values repeat      counting; no key is moved (simd/counting_sort.hpp)
//   few values in the sample                  cpu/quick/simd
//   one thread, most keys in a narrow window  counting; the others are partitioned away, and sorted by pivots
//   one thread, at most 32 MiB:
//     uneven, or values come often            cpu/quick/simd
//     neighbours in memory are close          cpu/quick/simd: slot after slot would wait for its counter
//     2^17 keys to 8 MiB (AVX2: 2 MiB)        partitions in place until 256 KiB are left, then slots
//     at most 1 MiB                           slots alone
//   spread evenly                             digits that are equal parts of the range
//   uneven, more than 16 MiB                  digits that follow a curve of 512 pieces, cut into parts
//                                             with equally many keys
//   uneven within a part, too; values that    cpu/quick/simd: slots would be too full
//     come often; all else
//
// Keys beyond the sample's range have their own bucket. A bucket that outgrows a cache goes to
// cpu/quick/simd, too.
//
// Memory traffic: a large input is read and written twice, with stores that bypass the caches: 16
// bytes per 32-bit key, 32 per 64-bit key; radix/hybrid: 20 and 40. The stores of the two scatters
// limit the speed, not memory (docs/lab/cpu/radix/simd.md).
//
// Limits: keys alone, without values; not stable. Any n; from 2^30 32-bit or 2^29 64-bit keys on
// cpu/quick/simd sorts them. Extra memory: n keys, and 4 to 13 MiB per thread.
//
// Gain over hybrid: 2.52x (2^27 u32 keys, 16 threads; results/xeon16/cpu.summary.csv).
// Bytes per u32 key: 16.
// Source: Wassenberg and Sanders, "Engineering a Multi-core Radix Sort", Euro-Par 2011 (no counting,
// write combining); Kokot et al., "Even faster sorting of (not only) integers", 2017 (RADULS2: MSD,
// small sorts at the leaves); Blacher et al., "Vectorized and performance-portable quicksort", 2022
// (networks over columns); Kristo et al., "The case for a learned sorting algorithm", 2020 (digits
// by a model of the distribution).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "common/contract/usable_cpus.hpp"
#include "common/contract/variant.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simd/cache_calls.hpp"
#include "cpu/primitives/simd/few_values.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/quick/simd/sort.hpp"
#include "cpu/radix/buckets/bucket.hpp"
#include "cpu/radix/simd/counting_sort.hpp"
#include "cpu/radix/simd/state.hpp"

namespace sortlab::cpu::radix::simd {
namespace {
namespace parallel = primitives::parallel;

/// The kernels of one instruction set, and the sort for keys that digits do not separate.
template <class Key>
struct AllCalls {
  Calls<Key> own;
  BucketCalls<Key> bucket;
  primitives::simd::CacheCalls<Key> cache;
  void (*by_pivots)(Key* keys, Key* other, std::size_t n, Key flip,
                    const quick::simd::Means& means);
};

/// What the sort needs beside the keys and a second buffer of the same size.
struct Means {
  std::byte* workspace;  // of workspace_bytes()
  int threads;           // at most
  Isa isa;
  Settings settings;  // of more than a few keys
};

/// One thread does not distribute keys of at most so many bytes: evenly spread ones are partitioned in
/// place into pieces that suit a cache, as far as that is faster (Calls::most_bytes_in_pieces), and all
/// others go to the quicksort.
constexpr std::size_t kMostBytesInPlace = std::size_t{32} << 20,
                      kPieceBytes = std::size_t{256} << 10,
                      kMostPieces = kMostBytesInPlace / kPieceBytes;
/// Several threads do not distribute at most so many bytes of uneven keys: the quicksort is faster.
/// measured: 1,000,003 keys, 16 threads, AVX-512, us, by a curve vs cpu/quick/simd: gaps u32 892 vs 727, f64 1726
/// vs 1403; logits u32 1021 vs 755, u64 1591 vs 1162; xeon16, results/xeon16/grid.csv.xz
constexpr std::size_t kMostBytesWithoutCurve = std::size_t{16} << 20;
/// Fewer keys are not partitioned into pieces first.
/// measured: uniform, 1 thread, Mkeys/s: 2^17 u32 419 (two pieces) vs 385, 2^16 u64 289 vs 309; emr2,
/// results/emr2/one_thread.csv
constexpr std::size_t kLeastInPieces = std::size_t{1} << 17;
/// A piece of fewer keys goes to the quicksort.
constexpr std::size_t kLeastPiece = 4096;

/// Sorts signed integers of `Key`'s width; `flip` makes them from the user's keys. Unsuitable input
/// goes to the sort by pivots.
template <class Key>
class Sorter {
 public:
  Sorter(const AllCalls<Key>& calls, Key flip, const Means& means)
      : call_(calls), flip_(flip), settings_(means.settings) {
    const auto address = reinterpret_cast<std::uintptr_t>(means.workspace);
    workspace_ = means.workspace + (round_up(address, kBlockBytes) - address);
    by_pivots_ = {.workspace = means.workspace, .threads = means.threads, .isa = means.isa};
  }

  /// Not for few keys; see is_few().
  void sort(Key* keys, Key* other, std::size_t n, int threads) const {
    if (primitives::simd::in_order_now(call_.cache.look, keys, n, flip_, threads)) return;
    if (primitives::simd::sort_narrow(keys, other, n, threads, call_.cache, flip_)) return;
    const Plan plan = Plan::of<Key>(n, threads, settings_);
    Sample sample = take_sample(keys, n, threads);
    if (CountingSort<Key>::is_worth_while(sample.range, n, threads)) {
      if (CountingSort<Key>(call_.bucket, flip_, &state(0), sample.range, plan).sort(keys, n))
        return;
      sample = take_sample(keys, n, threads);  // counters have overwritten it
    }
    if (has_few_values(sample)) return sort_by_pivots(keys, other, n);
    if (threads == 1 && sort_without_tails(keys, other, n, plan, sample)) return;
    if (threads == 1 && n * sizeof(Key) <= kMostBytesInPlace) {
      const std::size_t pieces = n * sizeof(Key) / kPieceBytes;
      if (!suits_slots(keys, n, sample, std::max<std::size_t>(pieces, 1))) {
        return sort_by_pivots(keys, other, n);
      }
      if (n >= kLeastInPieces && n * sizeof(Key) <= call_.own.most_bytes_in_pieces) {
        Key splitter_keys[kMostPieces];
        const auto splitters =
            choose_splitters(sample.keys, sample.count, static_cast<int>(pieces), splitter_keys);
        return sort_by_pieces(keys, n, splitters, 0, splitters.count);
      }
      const bool in_cache = n * sizeof(Key) <= 2 * settings_.bucket_bytes;
      if (in_cache && n <= kMostInCache<Key>) return sort_in_slots(keys, n);
    }
    const auto digits = Digits<Key>::of(sample.range, plan.ways);
    if (is_even(sample, n, plan.ways) && none_is_crowded(digits, sample, n)) {
      if (!would_crowd_slots(sample, n) &&
          sort_by_buckets(keys, other, n, plan, digits, call_.own.distribute)) {
        return;
      }
    } else if (n * sizeof(Key) > kMostBytesWithoutCurve &&
               sort_by_curve(keys, other, n, plan, sample)) {
      return;
    }
    sort_by_pivots(keys, other, n);
  }

 private:
  struct Sample {
    const Key* keys;  // sorted
    std::size_t count;
    Range<Key> range;  // their range, and somewhat more
  };

  void sort_by_pivots(Key* keys, Key* other, std::size_t n) const {
    call_.by_pivots(keys, other, n, flip_, by_pivots_);
  }

  /// Counts keys of which nearly all lie in a narrow window. The others, on one side or on both, are partitioned away
  /// and sorted by pivots. Returns false, and changes nothing, if there seems to be no such window.
  /// measured: prices, 1 thread, us, before and after: 1,000,003 u32 3049 and 1546, u64 4645 and 2044; emr2,
  /// radix_simd.1.txt
  bool sort_without_tails(Key* keys, Key* other, std::size_t n, const Plan& plan,
                          const Sample& sample) const {
    constexpr std::size_t kOthers = 16;  // at most one of so many keys is outside
    using U = Offset<Key>;
    const std::size_t inside = sample.count - sample.count / kOthers;
    std::size_t first = 0;
    const auto width = [&](std::size_t i) {
      return static_cast<U>(sample.keys[i + inside - 1]) - static_cast<U>(sample.keys[i]);
    };
    for (std::size_t i = 1; i + inside <= sample.count; ++i) {
      if (width(i) < width(first)) first = i;
    }
    const bool has_lower = first > 0, has_higher = first + inside < sample.count;
    const Key lowest = sample.keys[first], highest = sample.keys[first + inside - 1];
    const auto window = range_around(lowest, highest, sample.count, !has_lower, !has_higher);
    if (!CountingSort<Key>::is_worth_while(window, n, 1)) return false;
    std::size_t begin = 0, end = n;
    if (has_higher) end = call_.cache.partition(keys, n, highest, flip_);
    if (has_lower && end >= kLeastPiece) {
      begin = call_.cache.partition(keys, end, lowest - 1, flip_);
    }
    sort_by_pivots(keys, other, begin);
    sort_by_pivots(keys + end, other, n - end);
    const CountingSort<Key> counting(call_.bucket, flip_, &state(0), window, plan);
    if (!counting.sort(keys + begin, end - begin)) sort_by_pivots(keys + begin, other, end - begin);
    return true;
  }

  /// Whether one thread should sort the keys of each of some pieces in slots: they are spread evenly, few
  /// are equal, and neighbours in memory do not go to the same slots, which would wait for each other.
  bool suits_slots(const Key* keys, std::size_t n, const Sample& sample, std::size_t pieces) const {
    return n / pieces <= kMostInCache<Key> && is_even(sample, n, kMostSlots * pieces) &&
           !would_crowd_slots(sample, n) &&
           !call_.own.neighbours_are_close(keys, n, sample.range.last / 256, flip_);
  }
  /// Sorts the keys of the pieces [first, last] between the splitters: they are partitioned in place
  /// until one piece is left, which is sorted in slots.
  void sort_by_pieces(Key* keys, std::size_t n, const Splitters<Key>& splitters, int first,
                      int last) const {
    if (n < kLeastPiece) return call_.cache.sort_raw(keys, n, flip_);
    if (first == last) {
      if (suits_slots(keys, n, take_sample(keys, n, 1), 1)) return sort_in_slots(keys, n);
      return call_.cache.sort_raw(keys, n, flip_);
    }
    const int mid = (first + last) / 2;
    const std::size_t left = call_.cache.partition(keys, n, splitters.keys[mid], flip_);
    sort_by_pieces(keys, left, splitters, first, mid);
    sort_by_pieces(keys + left, n - left, splitters, mid + 1, last);
  }
  /// At most kMostInCache keys.
  void sort_in_slots(Key* keys, std::size_t n) const {
    state(0).uneven = 0;
    const Bucket<Key> all{nullptr, nullptr, 0, 0, keys, n};
    call_.bucket.sort(all, call_.own.range_of(keys, n, flip_), state(0), keys, flip_, false);
  }

  Sample take_sample(const Key* keys, std::size_t n, int threads) const {
    const std::size_t count = threads == 1 ? std::clamp<std::size_t>(n / 256, 512, 8192)
                                           : std::clamp<std::size_t>(n / 1024, 256, 8192);
    Key* const sample = state(0).scratch_of();
    call_.cache.sample_raw(keys, n, sample, count, flip_);
    call_.cache.sort_sample(sample, count);
    return {sample, count, range_around(sample[0], sample[count - 1], count, true, true)};
  }
  /// From one key of a sample of `count` to another, and somewhat more below and above, where keys may have been missed.
  static Range<Key> range_around(Key least, Key greatest, std::size_t count, bool and_below,
                                 bool and_above) {
    using U = Offset<Key>;
    const U first = static_cast<U>(least), last = static_cast<U>(greatest);
    const U more = std::max<U>((last - first) / static_cast<U>(count / 8), 4096);
    const U below =
        and_below ? std::min<U>(more, first - static_cast<U>(std::numeric_limits<Key>::min())) : 0;
    const U above =
        and_above ? std::min<U>(more, static_cast<U>(std::numeric_limits<Key>::max()) - last) : 0;
    return {static_cast<Key>(first - below), static_cast<U>(last - first + below + above)};
  }

  static bool has_few_values(const Sample& sample) {
    std::size_t values = 1;
    for (std::size_t i = 1; i < sample.count; ++i) values += sample.keys[i] != sample.keys[i - 1];
    return values < std::min<std::size_t>(256, sample.count / 4);
  }
  /// Whether equal parts of the range seem to hold about equally many keys.
  static bool is_even(const Sample& sample, std::size_t n, std::size_t ways) {
    constexpr std::size_t kLeastCells = 16, kMostCells = 128, kInCell = 16;
    const std::size_t cells = std::clamp(sample.count / kInCell, kLeastCells, kMostCells);
    const auto cell = Digits<Key>::of(sample.range, cells);
    std::size_t in_cell[kMostCells + 1] = {};
    for (std::size_t i = 0; i < sample.count; ++i) ++in_cell[cell.of_key(sample.keys[i])];
    const auto most = static_cast<double>(*std::max_element(in_cell, in_cell + cells)) *
                      static_cast<double>(cells) / static_cast<double>(sample.count);
    return most <= 2 && most * static_cast<double>(n) / static_cast<double>(ways) <
                            static_cast<double>(kMostInCache<Key>);
  }
  /// Whether slots would probably have room for the keys of most parts: they are spread evenly there, and no value is
  /// there often.
  /// measured: 2 threads, AVX2, ms: k-mers, whose values come 168 times, 16M u32 66 (by quick/simd) vs 99; gaps,
  /// unevenness 0.6, 8M u64 74 vs 85; normal keys, 0.01, 16M u32 73 vs 48; amd2/attempts/radix_simd.2.txt
  template <class Parts>
  static bool suit_buckets(const Parts& parts, const Sample& sample, std::size_t n) {
    constexpr double kMostUneven = 0.25, kMostAlike = 32;
    return unevenness_within(parts, sample) < kMostUneven && mean_alike(sample, n, 3) < kMostAlike;
  }
  /// Whether values come so often that some slots would get more keys than they have room for, although the
  /// keys are spread evenly.
  static bool would_crowd_slots(const Sample& sample, std::size_t n) {
    constexpr double kMostAlike = 1;
    return mean_alike(sample, n, 1) >= kMostAlike;
  }
  /// How often the value of a key is there, on the average of the keys: by neighbours in the sample that are
  /// equal, less some deviations.
  static double mean_alike(const Sample& sample, std::size_t n, double deviations) {
    double pairs = 0;
    for (std::size_t i = 1; i < sample.count; ++i) pairs += sample.keys[i] == sample.keys[i - 1];
    const auto count = static_cast<double>(sample.count);
    return 2 * (pairs - deviations * std::sqrt(pairs)) * static_cast<double>(n) / (count * count);
  }
  /// The mean square of the relative deviation of the numbers of keys in the quarters of a part, less what chance makes.
  template <class Parts>
  static double unevenness_within(const Parts& parts, const Sample& sample) {
    constexpr std::size_t kQuarters = 4;
    double squares = 0;
    for (std::size_t begin = 0, end = 0; begin < sample.count; begin = end) {
      const auto part = parts.of_key(sample.keys[begin]);
      while (end < sample.count && parts.of_key(sample.keys[end]) == part) ++end;
      if (part >= parts.ways) break;
      const auto quarter = Digits<Key>::of(parts.part(part), kQuarters);
      std::size_t in_quarter[kQuarters + 1] = {};
      for (std::size_t i = begin; i < end; ++i) ++in_quarter[quarter.of_key(sample.keys[i])];
      const double mean = static_cast<double>(end - begin) / kQuarters;
      for (std::size_t q = 0; q < kQuarters; ++q) {
        const double deviation = static_cast<double>(in_quarter[q]) - mean;
        squares += deviation * deviation / mean;
      }
      squares -= kQuarters - 1;
    }
    return squares / static_cast<double>(sample.count);
  }
  /// Whether no part seems to hold very many keys.
  template <class Parts>
  static bool none_is_crowded(const Parts& parts, const Sample& sample, std::size_t n) {
    const std::size_t mean = sample.count / parts.ways;
    const std::size_t allowed =
        std::min(3 * mean + 12, kMostInCache<Key> / (n / sample.count + 1) + mean);
    for (std::size_t i = allowed; i < sample.count; ++i) {
      if (parts.of_key(sample.keys[i]) == parts.of_key(sample.keys[i - allowed])) return false;
    }
    return true;
  }

  // Large arrays are in functions of their own, so that the stack holds few of them at once.

  /// The same as sort_by_buckets(); also returns false if digits by a curve do not suit the keys.
  [[gnu::noinline]] bool sort_by_curve(Key* keys, Key* other, std::size_t n, const Plan& plan,
                                       const Sample& sample) const {
    typename Curve<Key>::Cell cells[Curve<Key>::kCells];
    const auto curve = Curve<Key>::of(sample.range, plan.ways, sample.keys, sample.count, cells);
    return none_is_crowded(curve, sample, n) && suit_buckets(curve, sample, n) &&
           sort_by_buckets(keys, other, n, plan, curve, call_.own.distribute_by_curve);
  }

  /// Returns false, and changes nothing, if many keys are beyond the range.
  template <class Parts, class Distribute>
  [[gnu::noinline]] bool sort_by_buckets(Key* keys, Key* other, std::size_t n, const Plan& plan,
                                         const Parts& parts, Distribute distribute) const {
    const std::size_t ways = plan.ways;
    const bool stream = plan.stream;
    Supply supply = supply_of(other, n, plan);
    const int crew = plan.threads;
    parallel::on_all_threads(
        crew, [&](int t) { distribute(keys, n, parts, supply, state(t), flip_, stream); });
    const std::size_t beyond = size_of(ways, crew);
    if (beyond > kMostInCache<Key>) return false;

    const auto bucket = [&](std::size_t b, std::size_t keys_in_it) {
      return Bucket<Key>{&state(0), &supply, crew, b, nullptr, keys_in_it};
    };
    std::size_t begin[kMostWays + 1];
    begin[0] = 0;
    if (beyond > 0) {
      begin[0] = call_.bucket.sort_beyond(bucket(ways, beyond), parts.range, state(0), keys,
                                          keys + n, flip_);
    }
    for (std::size_t b = 0; b < ways; ++b) begin[b + 1] = begin[b] + size_of(b, crew);

    const auto size = [&](std::size_t b) { return begin[b + 1] - begin[b]; };
    parallel::for_each_part(ways, crew, [&](std::size_t b, int t) {
      if (size(b) == 0) return;
      if (size(b) > kMostInCache<Key>) {  // all threads come back to it
        call_.bucket.gather(bucket(b, size(b)), keys + begin[b], flip_);
      } else {
        call_.bucket.sort(bucket(b, size(b)), parts.part(b), state(t), keys + begin[b], flip_,
                          stream);
      }
    });
    for (std::size_t b = 0; b < ways; ++b) {
      if (size(b) > kMostInCache<Key>) sort_by_pivots(keys + begin[b], other + begin[b], size(b));
    }
    return true;
  }

  /// The blocks in the alternate buffer and behind the threads' states.
  Supply supply_of(Key* other, std::size_t n, const Plan& plan) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(other);
    const std::size_t skipped = round_up(begin, kBlockBytes) - begin;
    const std::size_t bytes = n * sizeof(Key);
    std::byte* const extra = workspace_ + plan.states_bytes;
    return {reinterpret_cast<std::byte*>(other) + skipped,
            bytes < skipped ? 0 : (bytes - skipped) / kBlockBytes,
            extra,
            reinterpret_cast<std::uint32_t*>(extra + plan.blocks * kBlockBytes),
            0,
            0};
  }

  ThreadState<Key>& state(int t) const {
    return reinterpret_cast<ThreadState<Key>*>(workspace_)[t];
  }
  std::size_t size_of(std::size_t b, int threads) const {
    std::size_t size = 0;
    for (int t = 0; t < threads; ++t) size += state(t).chains.counts[b];
    return size;
  }

  AllCalls<Key> call_;
  Key flip_;  // see Coding
  std::byte* workspace_;
  Settings settings_;
  quick::simd::Means by_pivots_;  // in the same workspace
};

using parallel::kItemsPerThread, parallel::threads_for;

std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, int most_threads,
                            const Settings& settings) {
  if (is_few(n, key_bytes)) return 0;
  const int threads = threads_for(n, kItemsPerThread, most_threads);
  return std::max(quick::simd::workspace_bytes(n, key_bytes, most_threads),
                  key_bytes == 8 ? Plan::of<std::int64_t>(n, threads, settings).bytes()
                                 : Plan::of<std::int32_t>(n, threads, settings).bytes());
}

/// Not inlined, so that a sort of few keys saves no registers.
template <class Key, bool kFloat>
[[gnu::noinline]] void sort_many(Key* keys, Key* other, std::size_t n, Key flip, Means means) {
  means.threads = parallel::at_hand(threads_for(n, kItemsPerThread, means.threads));
  const AllCalls<Key> calls{
      kernels_for<Key, kFloat>(means.isa), buckets::calls<Key, kFloat>(means.isa),
      primitives::simd::cache_calls<Key, kFloat>(means.isa), quick::simd::sort<Key, kFloat>};
  Sorter<Key>(calls, flip, means).sort(keys, other, n, means.threads);
}

/// Sorts n of the user's keys, which are read as signed integers: see SignedKeys.
template <class Key, bool kFloat>
void sort(Key* keys, Key* other, std::size_t n, Key flip, const Means& means) {
  if (!is_few(n, sizeof(Key))) return sort_many<Key, kFloat>(keys, other, n, flip, means);
  primitives::simd::cache_calls<Key, kFloat>(means.isa).sort_raw(keys, n, flip);
}

}  // namespace
}  // namespace sortlab::cpu::radix::simd

namespace sortlab {
namespace {
using namespace cpu::radix::simd;

struct RadixSimd {
  static constexpr ParamSpec kParams[] = {
      {.name = "bucket_kib",
       .fallback = 512,
       .min = 1,
       .max = 1 << 12,
       .help = "KiB of keys in a bucket, on the average"},
      {.name = "stream_from_mib",
       .fallback = 32,
       .min = 0,
       .max = 1 << 20,
       .help = "the least MiB of keys that are moved with non-temporal stores; on Intel's CPUs an "
               "eighth of it"}};
  static constexpr Info info{.summary = "MSD without counting, 16-bit networks in registers",
                             .source = "Wassenberg and Sanders 2011; Kokot et al. 2017",
                             .after = "cpu/radix/hybrid",
                             .candidate = Candidate{.rank = 3},
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};

  static Settings settings_of(const Params& params) {
    // On Intel's CPUs streaming pays from 4 MiB on.
    // measured: 2^21 u32, 16 threads, Mkeys/s: 2046 (from 4 MiB) vs 1374 (from 32 MiB); xeon16,
    // radix_simd.11.txt
    return {static_cast<std::size_t>(params["bucket_kib"]) << 10,
            (static_cast<std::size_t>(params["stream_from_mib"]) << 20) / (cpu_is_intel() ? 8 : 1)};
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return cpu::radix::simd::workspace_bytes(request.n, request.key_bytes, request.threads,
                                             settings_of(request.params));
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = cpu::primitives::simd::SignedKeys<Job>;
    using Int = typename Keys::Int;
    Means means{job.workspace.data(), job.threads, job.isa, {}};
    // A look at the parameters would take long beside the sort of a few keys.
    if (!is_few(job.n, sizeof(Int))) means.settings = settings_of(job.params);
    cpu::radix::simd::sort<Int, Keys::kFloat>(Keys::of(job.data.keys), Keys::of(job.alternate.keys),
                                              job.n, Keys::kFlip, means);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(RadixSimd, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

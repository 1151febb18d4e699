// Samplesort and quicksort on vectors: many pivots at a time split the keys, and networks sort the
// rest, up to 16 vectors, in registers.
//
// Over the parallel rung: splitters from a sample in place of single pivots; partitions that store
// whole vectors, without a branch on a key; as base case a network of minimum and maximum; a first
// split by all threads. AVX-512 and AVX2 share the kernels
// (simd/*.inl.hpp and cpu/primitives/simd) and have their own vectors; any other CPU has "vectors"
// of one key. The first read turns keys into signed integers, and the last store turns them back,
// so this takes no extra pass. Ordered input takes one read, reverse order also a reversal.
//
// The first row that fits decides (Sorter):
//
//   keys                                      sorted by
//   at most 4 KiB                             a look at the order, and networks, by one call
//   in order or in reverse order              one read, and a reversal
//   half of a sample is one key               taking the others out, to be sorted on both sides of it
//   2^16 and more, of at most 64 values, or   counting; no key is moved (few_values.hpp)
//     one thread, 4 bytes, few of whose bits differ
//   one thread, at most 32 MiB                partitions in place, and networks
//   all else                                  buckets, by all threads:
//     equal keys                                filled, not sorted
//     at most 2 MiB                             partitions and networks in a cache, by one thread
//     larger                                    distributed again by all threads, up to four times
//
// A distribution:
//
//   data      | share of thread 0 | share of thread 1 | ..     in cache, by a tree of splitters
//   alternate | block | block | ..| of thread 1 | ..           a bucket is a chain of blocks, so
//   scratch   | a bucket, gathered |                           no count before
//   data      | bucket 0, sorted | bucket 1, sorted | ..       each by one thread, in any order
//
// With AVX-512 the upper levels of that tree are searched in registers, and keys go one by one to a
// buffer per subtree (Deal in simd/kernels.inl.hpp). The levels below, and without AVX-512 all levels, are
// partitions.
//
// A frequent key has a bucket of its own, between two adjacent splitters. Beyond a depth that only
// adversarial input should reach, heap sort keeps every input at O(n log n).
//
// Memory traffic: a large input is read and written twice, the first time with stores that bypass
// the caches: 16 bytes per 32-bit key, 32 per 64-bit key. The parallel rung makes about log2 n such
// passes, minus those within the caches.
//
// Limits: keys alone, without values; not stable. Any n. Extra memory: n keys, and 2 to 11 MiB per
// thread; none where keys are partitioned in place.
//
// Gain over parallel: 5.51x (2^27 u32 keys, 16 threads; results/xeon16/cpu.summary.csv).
// Bytes per u32 key: 16.
// Source: Blacher et al., "Vectorized and performance-portable quicksort", 2022 (partition, and
// networks over columns that are merged in registers); Sanders and Winkel, "Super Scalar Sample
// Sort", 2004 (many splitters per pass, no branch on a key); Axtmann et al., "In-Place Parallel
// Super Scalar Samplesort (IPS4o)", 2017 (buckets of blocks, buckets of equal keys, a buffer per
// bucket).
// Experiments: docs/lab/cpu/quick/simd.md.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "common/contract/variant.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simd/cache_calls.hpp"
#include "cpu/primitives/simd/few_values.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/primitives/simd/lanes.hpp"
#include "cpu/quick/simd/sort.hpp"
#include "cpu/quick/simd/state.hpp"
#include "cpu/quick/tree_search.hpp"

namespace sortlab::cpu::quick::simd {

/// The most distributions of the same keys until their bucket fits into a cache.
inline constexpr int kDistributions = 4;

/// The buckets of one of these. They are in the workspace, because they are large for a stack.
template <class Key>
struct Buckets {
  Key splitters[kMaxBuckets];
  std::size_t begin[kMaxBuckets + 1];
  int order[kMaxBuckets];
};
template <class Key>
inline constexpr std::size_t kBucketsBytes = round_up(kDistributions * sizeof(Buckets<Key>),
                                                      kBlockBytes);

/// How many of `threads` threads are worth starting for n keys: one per 4096 keys, or fewer with small buckets.
constexpr int useful_threads(std::size_t n, int threads, std::size_t bucket_bytes) {
  return primitives::parallel::threads_for(n, bucket_bytes / 64, threads);
}
/// Whether one thread sorts the keys in place, without a distribution, which needs no workspace.
/// measured: uniform, 1 thread, 2^19 and 2^22, Mkeys/s: u32 317, 260 (in place) vs 191, 199
/// (distributed), u64 174, 132 vs 105, 106; emr2, results/emr2/one_thread.csv
constexpr bool is_undistributed(std::size_t bytes, int threads, std::size_t bucket_bytes) {
  return threads == 1 && bytes <= 128 * bucket_bytes;
}

/// How n keys are distributed, and the layout of the workspace.
struct Plan {
  int threads;
  int ways;  // fewest buckets that are asked for; equal keys may add one
  std::size_t buckets_bytes, state_bytes, blocks, block_links;

  template <class Key>
  static Plan of(std::size_t n, int threads, std::size_t bucket_bytes) {
    Plan plan;
    plan.threads = threads;
    const std::size_t for_cache = n * sizeof(Key) / bucket_bytes + 1;
    // Several per thread, so that they end at about the same time; many if the keys are many, because each costs the
    // threads some lines.
    // measured: 16 threads, us, 64 buckets vs 256: gaps u32 100,003 190 vs 241, 1,000,003 757 vs 917, u64 172 vs 232,
    // 1280 vs 1584; results/xeon16/attempts/choice.1.txt.xz
    const auto crew = static_cast<std::size_t>(threads);
    const std::size_t for_threads =
        threads == 1 ? 1 : std::clamp(2 * for_cache, 4 * crew, 16 * crew);
    plan.ways = static_cast<int>(
        std::clamp<std::size_t>(std::max(for_cache, for_threads), 4, kMaxBuckets - 2));
    plan.buckets_bytes = kBucketsBytes<Key>;
    plan.state_bytes = sizeof(ThreadState<Key>);
    plan.blocks = static_cast<std::size_t>(plan.ways) + 4;  // beside those in the alternate buffer
    const std::size_t share = n / static_cast<std::size_t>(threads) + 1;
    plan.block_links =
        round_up((share / kBlockKeys<Key> + plan.blocks + 2) * sizeof(std::uint32_t), kLineBytes);
    return plan;
  }
  std::size_t bytes() const {
    return kBlockBytes + buckets_bytes +
           static_cast<std::size_t>(threads) * (state_bytes + blocks * kBlockBytes + block_links);
  }
};

}  // namespace sortlab::cpu::quick::simd

#define SORTLAB_KERNELS "cpu/quick/simd/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::quick::simd
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::quick::simd {
namespace {
namespace parallel = primitives::parallel;
using primitives::simd::cache_calls, primitives::simd::CacheCalls, primitives::simd::FewCounted,
    primitives::simd::FewCountedOf;

/// So few bytes of keys are sorted by one call, on the thread of the caller.
/// measured: ns, 8 u32 46.9 (this) vs 51.0 (by a Sorter), sorted 14.9 vs 24.4; amd2, few_keys.1.txt
constexpr std::size_t kFewBytes = 4096;

// From so many keys on a sample costs less than a hundredth of the sort.
constexpr std::size_t kWorthASample = std::size_t{1} << 16;

/// Sorts signed integers of `Key`'s width; `flip` makes them from the user's keys.
template <class Key>
class Sorter {
 public:
  Sorter(const Calls<Key>& calls, const CacheCalls<Key>& cache, Key flip, std::byte* workspace,
         std::size_t bucket_bytes)
      : calls_(calls), cache_(cache), flip_(flip), bucket_bytes_(bucket_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(workspace);
    workspace_ = workspace + (round_up(address, kBlockBytes) - address);
    most_in_cache_ = std::min(kScratchKeys<Key>, 8 * bucket_bytes / sizeof(Key));
  }

  // Inlined into their callers, some functions would leave less of GCC's limit for the kernels.
  [[gnu::noinline]] void sort(Key* keys, Key* other, std::size_t n, int threads) const {
    if (primitives::simd::in_order_now(cache_.look, keys, n, flip_, threads)) return;
    if (n >= kWorthASample) {
      if (const auto key = majority(keys, n)) return sort_around(*key, keys, other, n, threads);
      if (sort_few_values(keys, other, n, threads)) return;
    }
    sort_others(keys, other, n, threads);
  }

 private:
  /// The key that makes up at least half of a sample, as a signed integer.
  std::optional<Key> majority(const Key* keys, std::size_t n) const {
    constexpr std::size_t kPlaces = 64;
    Key sample[kPlaces];
    cache_.sample_raw(keys, n, sample, kPlaces, flip_);
    std::nth_element(sample, sample + kPlaces / 2, sample + kPlaces);
    const Key key = sample[kPlaces / 2];
    if (std::count(sample, sample + kPlaces, key) < std::ptrdiff_t{kPlaces / 2}) return {};
    return key;
  }

  /// Takes the other keys out, puts this key in their places, and sorts its sides. This reads the
  /// input once, and writes groups of vectors that had another key.
  [[gnu::noinline]] void sort_around(Key key, Key* keys, Key* other, std::size_t n,
                                     int threads) const {
    const auto begin = [&](int t) { return parallel::chunk_begin(n, threads, t); };
    Sides alone;  // one thread may have no workspace
    const auto sides = [&](int t) -> Sides& { return threads == 1 ? alone : state(t).sides; };
    parallel::on_all_threads(threads, [&](int t) {
      const std::size_t first = begin(t);
      sides(t) = calls_.take_out(keys + first, other + first, begin(t + 1) - first, key, flip_);
    });
    Sides all;
    for (int t = 0; t < threads; ++t) {
      all.below += sides(t).below;
      all.above += sides(t).above;
    }
    parallel::on_all_threads(threads, [&](int t) {
      Sides before;
      for (int other_t = 0; other_t < t; ++other_t) {
        before.below += sides(other_t).below;
        before.above += sides(other_t).above;
      }
      const Sides mine = sides(t);
      std::copy_n(other + begin(t), mine.below, keys + before.below);
      std::copy_n(other + begin(t + 1) - mine.above, mine.above,
                  keys + n - all.above + before.above);
    });
    const auto sort_side = [&](Key* side, std::size_t size) {
      sort_others(side, other, size, useful_threads(size, threads, bucket_bytes_));
    };
    sort_side(keys, all.below);
    sort_side(keys + n - all.above, all.above);
  }

  /// Sorts keys that have few values. Returns false for others, and changes none.
  [[gnu::noinline]] bool sort_few_values(Key* keys, Key* other, std::size_t n, int threads) const {
    if (primitives::simd::sort_narrow(keys, other, n, threads, cache_, flip_)) return true;
    FewCounted alone;  // one thread may have no workspace
    const FewCountedOf counted{threads == 1 ? &alone : &state(0).few, sizeof(ThreadState<Key>)};
    return primitives::simd::sort_few_values(keys, other, n, threads, cache_, flip_, counted);
  }

  /// Sorts keys of which no one is known to be the majority.
  void sort_others(Key* keys, Key* other, std::size_t n, int threads) const {
    if (is_undistributed(n * sizeof(Key), threads, bucket_bytes_)) {
      return cache_.sort_raw(keys, n, flip_);
    }
    sort_by_buckets<true>(keys, other, n, threads, kDistributions);
  }

  /// Sorts n keys into the user's form. They are in the user's form (kRaw), or signed integers
  /// already.
  template <bool kRaw>
  [[gnu::noinline]] void sort_by_buckets(Key* keys, Key* other, std::size_t n, int threads,
                                         int levels) const {
    const Plan plan = Plan::of<Key>(n, threads, bucket_bytes_);
    Buckets<Key>& memory = reinterpret_cast<Buckets<Key>*>(workspace_)[levels - 1];
    const Splitters<Key> splitters = sample<kRaw>(keys, n, plan, memory.splitters);
    parallel::on_all_threads(threads,
                             [&](int t) { distribute<kRaw>(keys, other, n, splitters, plan, t); });

    const int buckets = splitters.count + 1;
    std::size_t* const begin = memory.begin;
    begin[0] = 0;
    for (int b = 0; b < buckets; ++b) begin[b + 1] = begin[b] + size_of(b, plan);

    int* const order = memory.order;
    std::iota(order, order + buckets, 0);
    const auto size = [&](int b) { return begin[b + 1] - begin[b]; };
    if (threads > 1) {
      std::sort(order, order + buckets, [&](int a, int b) { return size(a) > size(b); });
    }
    const auto sort_one = [&](int b, int t) {
      Key* const to = keys + begin[b];
      if (splitters.all_equal(b)) {
        cache_.fill(to, size(b), splitters.upper(b), flip_);
      } else if (size(b) <= most_in_cache_) {
        Key* const scratch = state(t).scratch;
        gather(b, plan, scratch);
        cache_.sort_coded(scratch, to, size(b), flip_);
      } else {
        gather(b, plan, to);  // all threads come back to it
      }
    };
    bool any_large = false;
    for (int b = 0; b < buckets; ++b) {
      any_large |= size(b) > most_in_cache_ && !splitters.all_equal(b);
    }
    parallel::for_each_part(buckets, threads, [&](int i, int t) { sort_one(order[i], t); });
    if (!any_large) return;
    for (int b = 0; b < buckets; ++b) {
      if (size(b) <= most_in_cache_ || splitters.all_equal(b)) continue;
      Key* const bucket = keys + begin[b];
      Key* const copy = other + begin[b];
      if (levels > 1) {
        sort_by_buckets<false>(bucket, copy, size(b), threads, levels - 1);
      } else {
        cache_.sort_coded(bucket, bucket, size(b), flip_);
      }
    }
  }

  /// Chooses the splitters with one thread, in its scratch memory.
  template <bool kRaw>
  Splitters<Key> sample(const Key* keys, std::size_t n, const Plan& plan, Key* splitters) const {
    const auto ways = static_cast<std::size_t>(plan.ways);
    const std::size_t count = std::min(n / 4, std::clamp(n / 64, 8 * ways, 32 * ways));
    Key* const sample = state(0).scratch;
    (kRaw ? cache_.sample_raw : cache_.sample_coded)(keys, n, sample, count, flip_);
    cache_.sort_sample(sample, count);
    return choose_splitters(sample, count, plan.ways, splitters);
  }

  /// Assigns thread t its memory for blocks and lets it distribute its share.
  template <bool kRaw>
  void distribute(const Key* keys, Key* other, std::size_t n, const Splitters<Key>& splitters,
                  const Plan& plan, int t) const {
    const std::size_t first = parallel::chunk_begin(n, plan.threads, t);
    const std::size_t last = parallel::chunk_begin(n, plan.threads, t + 1);
    ThreadState<Key>& mine = state(t);
    const auto begin = reinterpret_cast<std::uintptr_t>(other + first);
    const auto end = reinterpret_cast<std::uintptr_t>(other + last);
    const std::size_t skipped = round_up(begin, kBlockBytes) - begin;
    mine.chains.own = reinterpret_cast<std::byte*>(other + first) + skipped;
    mine.chains.own_blocks = end - begin < skipped ? 0 : (end - begin - skipped) / kBlockBytes;
    std::byte* const beyond = reinterpret_cast<std::byte*>(&state(0)) +
                              static_cast<std::size_t>(plan.threads) * plan.state_bytes;
    const std::size_t block_bytes = plan.blocks * kBlockBytes;
    const auto me = static_cast<std::size_t>(t);
    mine.chains.extra = beyond + me * block_bytes;
    mine.chains.following = reinterpret_cast<std::uint32_t*>(
        beyond + static_cast<std::size_t>(plan.threads) * block_bytes + me * plan.block_links);
    const auto call = kRaw ? calls_.distribute_raw : calls_.distribute_coded;
    call(keys + first, last - first, splitters, mine, flip_);
  }

  ThreadState<Key>& state(int t) const {
    return reinterpret_cast<ThreadState<Key>*>(workspace_ + kBucketsBytes<Key>)[t];
  }
  std::size_t size_of(int bucket, const Plan& plan) const {
    std::size_t size = 0;
    for (int t = 0; t < plan.threads; ++t) size += state(t).chains.counts[bucket];
    return size;
  }
  /// Copies a bucket's keys of all threads to `to`.
  void gather(int bucket, const Plan& plan, Key* to) const {
    for (int t = 0; t < plan.threads; ++t) {
      const Chains<Key>& chains = state(t).chains;
      calls_.gather(chains, bucket, to);
      to += chains.counts[bucket];
    }
  }

  Calls<Key> calls_;
  CacheCalls<Key> cache_;
  Key flip_;  // see Coding
  std::byte* workspace_;
  std::size_t bucket_bytes_;
  std::size_t most_in_cache_;  // keys; a larger bucket is distributed again
};

}  // namespace

std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, int threads,
                            std::size_t bucket_bytes) {
  const int useful = useful_threads(n, threads, bucket_bytes);
  if (is_undistributed(n * key_bytes, useful, bucket_bytes)) return 0;
  return key_bytes == 8 ? Plan::of<std::int64_t>(n, useful, bucket_bytes).bytes()
                        : Plan::of<std::int32_t>(n, useful, bucket_bytes).bytes();
}

template <class Key, bool kFloat>
void sort(Key* keys, Key* other, std::size_t n, Key flip, const Means& means) {
  const int threads = parallel::at_hand(useful_threads(n, means.threads, means.bucket_bytes));
  const Sorter<Key> sorter(calls_for<Key, kFloat>(means.isa), cache_calls<Key, kFloat>(means.isa),
                           flip, means.workspace, means.bucket_bytes);
  sorter.sort(keys, other, n, threads);
}

template void sort<std::int32_t, false>(std::int32_t*, std::int32_t*, std::size_t, std::int32_t,
                                        const Means&);
template void sort<std::int32_t, true>(std::int32_t*, std::int32_t*, std::size_t, std::int32_t,
                                       const Means&);
template void sort<std::int64_t, false>(std::int64_t*, std::int64_t*, std::size_t, std::int64_t,
                                        const Means&);
template void sort<std::int64_t, true>(std::int64_t*, std::int64_t*, std::size_t, std::int64_t,
                                       const Means&);

}  // namespace sortlab::cpu::quick::simd

namespace sortlab {
namespace {
using namespace cpu::quick::simd;

struct QuickSimd {
  static constexpr ParamSpec kParams[] = {{.name = "bucket_kib",
                                           .fallback = kBucketBytes >> 10,
                                           .min = 1,
                                           .max = 1 << 10,
                                           .help = "KiB of keys in a bucket, on the average"}};
  static constexpr Info info{.summary = "SIMD samplesort and quicksort, networks in registers",
                             .source = "Blacher et al. 2022; Sanders and Winkel 2004",
                             .after = "cpu/quick/parallel",
                             .candidate = Candidate{.rank = 4},
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};

  static std::size_t bucket_bytes(const Params& params) {
    return static_cast<std::size_t>(params["bucket_kib"]) << 10;
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return cpu::quick::simd::workspace_bytes(request.n, request.key_bytes, request.threads,
                                             bucket_bytes(request.params));
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = cpu::primitives::simd::SignedKeys<Job>;
    using Int = typename Keys::Int;
    Int* const keys = Keys::of(job.data.keys);
    // A look at the parameters would take long beside the sort of a few keys.
    if (job.n * sizeof(Int) <= kFewBytes) {
      cpu::primitives::simd::sort_few<Int, Keys::kFloat>(job.isa, keys, job.n, Keys::kFlip);
      return ResultIn::data;
    }
    cpu::quick::simd::sort<Int, Keys::kFloat>(
        keys, Keys::of(job.alternate.keys), job.n, Keys::kFlip,
        {job.workspace.data(), job.threads, job.isa, bucket_bytes(job.params)});
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(QuickSimd, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

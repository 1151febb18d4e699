// Radix sort, least significant digit first, in base 256, on all threads, with a buffered scatter.
//
// Over radix/optimized it adds two things.
//
// Threads: each owns one chunk of the input and its own counters, so nobody waits for anybody inside
// a step; sums over digits first and threads second give every thread a stretch of its own in every
// bucket, which keeps the sort stable. Should gain the number of cores, until memory is the limit.
//
// With AVX2, for inputs that do not fit the caches, a buffered scatter (software write-combining):
// items gather in a small buffer, a cache line for each bucket, and leave a whole line at a time. So
// a thread writes to 256 lines of its nearest cache instead of 256 far pages (fewer TLB misses), and
// lines that leave with non-temporal stores need not be read before they are written: a third of the
// scatter's traffic.
//
// Passes: one read to count all digits, then for each digit in which keys differ one read to count
// (its chunk has changed since; one thread needs no second count), one read and one write. Stable.
// Limits: with 64-bit keys a line of values is half a cache line, and leaves with ordinary stores.
//
// Source: Satish et al., "Fast Sort on CPUs and GPUs", SIGMOD 2010, section 4 (buffers of a line);
// Wassenberg and Sanders, "Engineering a Multi-core Radix Sort", Euro-Par 2011 (write-combining).
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/isa_region.hpp"
#include "common/variant.hpp"
#include "cpu/radix/digits.hpp"

namespace sortlab {
namespace {
using namespace radix;

constexpr std::size_t kLineBytes = 64;

// A thread is worth its start from about this many items on.
constexpr std::size_t kItemsPerThread = std::size_t{1} << 12;

/// What one thread writes to. Whole cache lines, so that no two threads ever write to one of them.
struct alignas(kLineBytes) ThreadState {
  Counts counts[8];  // of the thread's chunk, one row a pass
  Counts begin;      // where its stretch of each bucket begins, in places (see Destination) ...
  Counts next;       // ... and where the next item goes
  alignas(kLineBytes) std::byte key_lines[kBuckets][kLineBytes];
  alignas(kLineBytes) std::byte value_lines[kBuckets][kLineBytes];
};

/// The array that a pass writes to. Places in it are counted from the cache line boundary at or
/// before its first key, so that place % kItemsPerLine == 0 means: a cache line of keys begins
/// here.
///
///      line 0           line 1           line 2
///   | . . . k0 k1 k2 | k3 k4 ...      |
///     \___/
///      lead, places that are not ours
template <class Items>
struct Destination {
  static constexpr std::size_t kItemsPerLine = kLineBytes / sizeof(typename Items::Key);

  Items items;
  std::size_t lead;

  explicit Destination(Items to)
      : items(to),
        lead(reinterpret_cast<std::uintptr_t>(to.keys) / sizeof(typename Items::Key) %
             kItemsPerLine) {}

  typename Items::Key* key_at(std::size_t place) const { return items.keys + (place - lead); }
  typename Items::Value* value_at(std::size_t place) const { return items.values + (place - lead); }
};

/// Moves the buffered items of one bucket, places [first, last) of one line, to the destination.
template <class Items>
void move_part_of_line(const Destination<Items>& to, const ThreadState& state, std::size_t bucket,
                       std::size_t first, std::size_t last) {
  constexpr std::size_t kItems = Destination<Items>::kItemsPerLine;
  using Key = typename Items::Key;
  std::memcpy(to.key_at(first), state.key_lines[bucket] + first % kItems * sizeof(Key),
              (last - first) * sizeof(Key));
  if constexpr (Items::kPairs) {
    using Value = typename Items::Value;
    std::memcpy(to.value_at(first), state.value_lines[bucket] + first % kItems * sizeof(Value),
                (last - first) * sizeof(Value));
  }
}

namespace scalar {
/// The scatter of one chunk, straight to the destination.
template <class Job, class Items>
void scatter(Items from, std::size_t first, std::size_t last, const Destination<Items>& to,
             int pass, ThreadState& state) {
  for (std::size_t i = first; i < last; ++i) {
    const auto item = from[i];
    to.items.put(state.next[digit_of<Job>(item.key, pass)]++ - to.lead, item);
  }
}
}  // namespace scalar

SORTLAB_AVX2_BEGIN
namespace avx2 {
/// Moves a whole line of the buffer, kItems of keys or of values.
template <std::size_t kItems>
struct MoveLine {
  template <class T>
  void operator()(T* place, const std::byte* line) const {
    const auto* source = reinterpret_cast<const __m256i*>(line);
    auto* target = reinterpret_cast<__m256i*>(place);
    const __m256i low = _mm256_load_si256(source);
    if constexpr (kItems * sizeof(T) == kLineBytes) {
      const __m256i high = _mm256_load_si256(source + 1);
      // Keys lie on line boundaries by construction; values only if their array begins like the
      // keys'.
      if (reinterpret_cast<std::uintptr_t>(place) % kLineBytes == 0) {
        _mm256_stream_si256(target, low);
        _mm256_stream_si256(target + 1, high);
      } else {
        _mm256_storeu_si256(target, low);
        _mm256_storeu_si256(target + 1, high);
      }
    } else {
      static_assert(2 * kItems * sizeof(T) == kLineBytes);
      _mm256_storeu_si256(target, low);
    }
  }
};

/// The scatter of one chunk, through the buffer.
///
///   from   | 2 0 1 0 2 0 ...            the chunk, in order
///   lines  [0 0 0 .] [1 . . .] [2 2 . .]     a line for each bucket; a full one moves on:
///   to     |...0 0 0 0|....|1 1...|....|2 2 2 2 2...|
///           begin next      b  n        b        n     this thread's stretch of each bucket
///
/// Invariant: the items of places [begin, next) of a bucket are in the destination up to the last
/// line boundary at or before `next`, and beyond it in the buffer.
template <class Job, class Items>
void scatter(Items from, std::size_t first, std::size_t last, const Destination<Items>& to,
             int pass, ThreadState& state) {
  using Key = typename Items::Key;
  using Value = typename Items::Value;
  constexpr std::size_t kItems = Destination<Items>::kItemsPerLine;
  constexpr MoveLine<kItems> move_line;

  for (std::size_t i = first; i < last; ++i) {
    const auto [key, value] = from[i];
    const std::size_t bucket = digit_of<Job>(key, pass);
    const std::size_t place = state.next[bucket]++;
    const std::size_t slot = place % kItems;
    reinterpret_cast<Key*>(state.key_lines[bucket])[slot] = key;
    if constexpr (Items::kPairs) {
      reinterpret_cast<Value*>(state.value_lines[bucket])[slot] = value;
    }
    if (slot == kItems - 1) {
      const std::size_t line = place - slot;
      if (line >= state.begin[bucket]) {
        move_line(to.key_at(line), state.key_lines[bucket]);
        if constexpr (Items::kPairs) {
          move_line(to.value_at(line), state.value_lines[bucket]);
        }
      } else {  // the thread before has the front of this line
        move_part_of_line(to, state, bucket, state.begin[bucket], place + 1);
      }
    }
  }
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const std::size_t end = state.next[bucket];
    const std::size_t rest = std::max(state.begin[bucket], end - end % kItems);
    if (rest < end) move_part_of_line(to, state, bucket, rest, end);
  }
  _mm_sfence();  // non-temporal stores become visible to the other threads in no order without it
}
}  // namespace avx2
SORTLAB_AVX2_END

/// Calls step(t) for each thread t, each on a thread of its own, and waits for all. Every thread
/// sees what all did in the step before.
template <class Step>
void on_all_threads(int threads, Step step) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) step(t);
}

/// Gives each thread its stretch of each bucket: by digit first, by thread second.
///
///   to   | digit 0: t0 t1 .. | digit 1: t0 t1 .. | ...
void lay_out_buckets(ThreadState* states, int threads, int pass, std::size_t lead) {
  std::size_t place = lead;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    for (int t = 0; t < threads; ++t) {
      states[t].begin[bucket] = states[t].next[bucket] = place;
      place += states[t].counts[pass][bucket];
    }
  }
}

struct LsdParallel {
  // Output that fits the last-level cache is better left there for the next pass: the plain scatter
  // then takes half to all of the buffered one's time. On a Zen 4 machine with 32 MiB the two met
  // between 16 and 64 MiB of items, and at 64 MiB of u32 keys the buffer took off a third or more.
  static constexpr ParamSpec kParams[] = {
      {.name = "buffer_from_mib",
       .fallback = 32,
       .min = 0,
       .max = 1 << 20,
       .help = "the least MiB of items for which the AVX2 scatter goes through its buffer"}};

  static constexpr Info info{
      .summary = "LSD base 256 on all threads, scatter through a cache line a bucket",
      .source = "Satish et al. 2010, section 4; Wassenberg and Sanders 2011",
      .after = "cpu/radix/optimized",
      .stable = true,
      .alternate = true,
      .parallel = true,
      .isas = kScalarAndAvx2,
      .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return static_cast<std::size_t>(request.threads) * sizeof(ThreadState);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Items = decltype(job.data);
    if (job.n == 0) return ResultIn::data;
    const int threads = static_cast<int>(
        std::clamp<std::size_t>(job.n / kItemsPerThread, 1, static_cast<std::size_t>(job.threads)));
    const auto chunk_begin = [&](int t) {
      return job.n / threads * t + job.n % threads * t / threads;
    };
    auto* const states = reinterpret_cast<ThreadState*>(job.workspace.data());

    const std::size_t bytes =
        job.n * (sizeof(typename Job::Key) + kValueBytes<typename Job::Value>);
    const bool buffered = job.isa >= Isa::avx2 &&
                          bytes >= static_cast<std::size_t>(job.params["buffer_from_mib"]) << 20;

    on_all_threads(threads, [&](int t) {
      std::fill_n(states[t].counts, kPasses<Job>, Counts{});
      count_all_digits<Job>(job.data.keys, chunk_begin(t), chunk_begin(t + 1), states[t].counts);
    });

    Items from = job.data;
    Items to = job.alternate;
    bool chunks_changed = false;
    for (int pass = 0; pass < kPasses<Job>; ++pass) {
      // Keys have moved between chunks, which leaves only the sums over the threads as they were.
      const std::size_t some_digit = digit_of<Job>(from.keys[0], pass);
      std::size_t alike = 0;
      for (int t = 0; t < threads; ++t) alike += states[t].counts[pass][some_digit];
      if (alike == job.n) continue;

      if (threads > 1 && chunks_changed) {
        on_all_threads(threads, [&](int t) {
          states[t].counts[pass].fill(0);
          count_digits<Job>(from.keys, chunk_begin(t), chunk_begin(t + 1), pass,
                            states[t].counts[pass]);
        });
      }
      const Destination<Items> destination(to);
      lay_out_buckets(states, threads, pass, destination.lead);
      on_all_threads(threads, [&](int t) {
        const auto scatter = buffered ? avx2::scatter<Job, Items> : scalar::scatter<Job, Items>;
        scatter(from, chunk_begin(t), chunk_begin(t + 1), destination, pass, states[t]);
      });
      std::swap(from, to);
      chunks_changed = true;
    }
    return from.keys == job.data.keys ? ResultIn::data : ResultIn::alternate;
  }
};
SORTLAB_REGISTER(LsdParallel, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

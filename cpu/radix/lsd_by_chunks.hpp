// The LSD sort by chunks of radix/parallel and radix/team: all of it but the threads.
//
// Each thread owns one chunk of the input and its own counters, so no thread waits inside a step, and
// no two threads write to one cache line. Sums over digits first and threads second give every thread
// its own range in every bucket, which keeps the sort stable.
//
// The scatter (write_combining.hpp) is for inputs that do not fit into the caches: a third less of
// the plain scatter's traffic, and fewer TLB misses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/contract/variant.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/radix/digits.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix {

namespace parallel = primitives::parallel;

/// The data that one thread writes. It is whole cache lines, so that no two threads ever write to
/// one line.
struct alignas(kLineBytes) ThreadState {
  Counts counts[8];  // of the thread's chunk, one row per pass
  Buckets<kBuckets> buckets;
};

/// Assigns each thread its range in each bucket: ordered by digit, then by thread.
///
///   to   | digit 0: t0 t1 .. | digit 1: t0 t1 .. | ...
inline void lay_out_buckets(ThreadState* states, int threads, int pass, std::size_t lead) {
  std::size_t place = lead;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    for (int t = 0; t < threads; ++t) {
      states[t].buckets.begin[bucket] = states[t].buckets.next[bucket] = place;
      place += states[t].counts[pass][bucket];
    }
  }
}

// Output that fits into the last-level cache should stay there for the next pass: the plain
// scatter then takes half to all of the buffered one's time. On a Zen 4 machine with 32 MiB both
// took the same time between 16 and 64 MiB of items. At 64 MiB of u32 keys the buffer saved a
// third or more of the time.
inline constexpr ParamSpec kChunkParams[] = {
    {.name = "buffer_from_mib",
     .fallback = 32,
     .min = 0,
     .max = 1 << 20,
     .help = "the least MiB of items for which the AVX2 scatter goes through its buffer"}};

/// `Threads` starts them: its on_all_threads(threads, step) calls step(t) once for each t < threads.
template <class Threads>
struct LsdByChunks {
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const int threads =
        parallel::threads_for(request.n, parallel::kItemsPerThread, request.threads);
    return static_cast<std::size_t>(threads) * sizeof(ThreadState);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Items = decltype(job.data);
    if (job.n == 0) return ResultIn::data;
    const int threads =
        Threads::at_hand(parallel::threads_for(job.n, parallel::kItemsPerThread, job.threads));
    const auto begin_of = [&](int t) { return parallel::chunk_begin(job.n, threads, t); };
    auto* const states = reinterpret_cast<ThreadState*>(job.workspace.data());

    const std::size_t bytes =
        job.n * (sizeof(typename Job::Key) + kValueBytes<typename Job::Value>);
    const bool buffered = job.isa >= Isa::avx2 &&
                          bytes >= static_cast<std::size_t>(job.params["buffer_from_mib"]) << 20;

    Threads::on_all_threads(threads, [&](int t) {
      std::fill_n(states[t].counts, kPasses<Job>, Counts{});
      count_all_digits<Job>(job.data.keys, begin_of(t), begin_of(t + 1), states[t].counts);
    });

    Items from = job.data;
    Items to = job.alternate;
    bool chunks_changed = false;
    for (int pass = 0; pass < kPasses<Job>; ++pass) {
      // Keys have moved between chunks, so only the sums over all threads are still right.
      const std::size_t some_digit = digit_of<Job>(from.keys[0], pass);
      std::size_t alike = 0;
      for (int t = 0; t < threads; ++t) alike += states[t].counts[pass][some_digit];
      if (alike == job.n) continue;

      if (threads > 1 && chunks_changed) {
        Threads::on_all_threads(threads, [&](int t) {
          states[t].counts[pass].fill(0);
          count_digits<Job>(from.keys, begin_of(t), begin_of(t + 1), pass, states[t].counts[pass]);
        });
      }
      const Destination<Items> destination(to);
      lay_out_buckets(states, threads, pass, destination.lead);
      Threads::on_all_threads(threads, [&](int t) {
        const Items chunk = from.from(begin_of(t));
        const std::size_t n = begin_of(t + 1) - begin_of(t);
        const auto bucket_of = [pass](auto key) { return digit_of<Job>(key, pass); };
        auto& buckets = states[t].buckets;
        if (!buffered) return scatter_plain(chunk, n, destination, bucket_of, buckets);
        wide::stream_by_lines(chunk, n, destination, bucket_of, buckets);
        empty_lines(destination, buckets, kBuckets);
        publish_lines();
      });
      std::swap(from, to);
      chunks_changed = true;
    }
    return from.keys == job.data.keys ? ResultIn::data : ResultIn::alternate;
  }
};

}  // namespace sortlab::cpu::radix

// Radix sort, most significant digit once into buckets that fit a core's own cache, then each bucket
// sorted there (leaf.hpp).
//
// Over radix/parallel it saves traffic. An LSD sort moves every key through memory once per digit, 4 or
// 8 times. Here memory sees one read to count, one pass that moves, and one read and write by the
// leaves: 20 bytes per u32 key instead of 36, 40 per u64 key instead of 136. The leaves run on all
// threads without synchronization. Input that is in order, or in reverse order, costs one read.
//
// The digit lies right below the bits that all keys share (a sample guesses them, the count makes
// sure), so a narrow range of keys is no worse than a wide one. A bucket too large for a cache is
// partitioned again, by all threads when it is a large share of the input, else by one.
//
//   data       | chunk of thread 0 | chunk of thread 1 | ...          as they came
//   alternate  | bucket 0: from 0, from 1, .. | bucket 1 | ...        bits in the order asked for
//   alternate  | leaf 0 sorted | leaf 1 sorted | ...                  through a buffer a thread
//
// Gain over radix/parallel, 2^24 uniform keys, two cores of an AMD EPYC (Zen 4): u32 1.7x faster, u64
// 3.9x, u32+u32 1.7x, u64+u32 4.6x; keys in order 36x and more (results/amd2/radix.csv). What was
// tried: docs/lab/cpu/radix/hybrid.md.
//
// Stable. Any n. Extra memory: n items, and about 1 MiB a thread.
//
// Source: Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", SIGMOD 2017
// (the idea); Kokot et al., "Even faster sorting of (not only) integers", 2017 (RADULS2).
#include <algorithm>
#include <type_traits>

#include "common/contract/variant.hpp"
#include "cpu/primitives/parallel/threads_for.hpp"
#include "cpu/radix/hybrid.hpp"
#include "cpu/radix/sequence.hpp"

namespace sortlab {
namespace {
using namespace radix;

using cpu::primitives::kItemsPerThread, cpu::primitives::threads_for;

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
    if (request.n <= kInsertionItems) return 0;
    const auto state_bytes = [&](auto bits) {
      using Bits = decltype(bits);
      return request.value_bytes == 0 ? sizeof(ThreadState<Items<Bits, NoValue>>)
                                      : sizeof(ThreadState<Items<Bits, std::uint32_t>>);
    };
    return static_cast<std::size_t>(threads_for(request.n, kItemsPerThread, request.threads)) *
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
    const int threads = threads_for(job.n, kItemsPerThread, job.threads);
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
    hybrid.sort(source, alternate, data, alternate, job.n, {.threads = threads});
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

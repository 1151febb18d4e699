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
// Gain over radix/parallel at 16M uniform keys on two cores of a Zen 4 machine (results/amd2/radix.csv.xz):
// u32 1.7 times, u64 3.9, u32 with values 1.7, u64 with values 4.6; in order 36 and more.
//
//   tried                                               kept   why
//   leaf digits of 11 bits, window cut off at 22        yes    two passes a leaf, whatever the key
//   first digit wide enough that 22 bits are the rest   yes    u32 leaves need no look for ties
//   a table for skewed keys                             yes    f32 uniform: one partition, not two
//   count a block of like keys at once                  yes    no wait for the one counter
//
// Stable. Any n. Extra memory: n items, and about 1 MiB a thread.
//
// Source: Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", SIGMOD 2017
// (the idea); Kokot et al., "Even faster sorting of (not only) integers", 2017 (RADULS2).
#include <algorithm>
#include <type_traits>

#include "common/contract/variant.hpp"
#include "cpu/radix/hybrid.hpp"
#include "cpu/radix/sequence.hpp"

namespace sortlab {
namespace {
using namespace radix;

// A thread is worth its start from about this many items on.
constexpr std::size_t kItemsPerThread = std::size_t{1} << 12;

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

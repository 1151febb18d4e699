// Radix sort, most significant digit once into buckets that fit a core's own cache, then each bucket
// sorted there (msd/leaf.hpp).
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
// Gain over radix/parallel at 16M uniform keys on two cores of a Zen 4 machine (results/amd2/radix.csv):
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
#include "common/contract/variant.hpp"
#include "cpu/primitives/parallel/threads_for.hpp"
#include "cpu/radix/hybrid/sort.hpp"
#include "cpu/radix/msd/sequence.hpp"
#include "cpu/radix/msd/source.hpp"

namespace sortlab {
namespace {
using namespace cpu::radix::hybrid;

using cpu::primitives::parallel::kItemsPerThread, cpu::primitives::parallel::threads_for;

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
    using Bits = JobBits<Job>;
    using BitItems = typename Bits::BitItems;
    const int threads = threads_for(job.n, kItemsPerThread, job.threads);
    if (sort_at_a_look(job, threads)) return ResultIn::data;

    const Hybrid<BitItems> hybrid(
        reinterpret_cast<ThreadState<BitItems>*>(job.workspace.data()),
        {.isa = job.isa,
         .stream_from_bytes = static_cast<std::size_t>(job.params["stream_from_mib"]) << 20,
         .restore = Bits::restore()});
    const BitItems data = Bits::of(job.data), alternate = Bits::of(job.alternate);
    if (threads == 1 && job.n <= kLeafItems<BitItems>) {
      Bits::make(job);
      hybrid.sort_leaf(data, data, job.n, 0);
      return ResultIn::data;
    }
    hybrid.sort(Bits::source(job), alternate, data, alternate, job.n, {.threads = threads});
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(MsdHybrid, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Radix sort that distributes once by the most significant digit, into buckets that fit into a
// core's own cache, and then sorts each bucket there (msd/leaf.hpp).
//
// Over radix/parallel it saves memory traffic: one pass moves the keys, while an LSD sort moves them
// once per digit, 4 or 8 times. Here it is one read to count, one pass, and one read and write by
// the leaves: 20 bytes per u32 key instead of 36, 40 per u64 key instead of 136. The leaves run on
// all threads without synchronization. Input in order or in reverse order takes one read.
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
#include "common/contract/variant.hpp"
#include "cpu/primitives/parallel/threads_for.hpp"
#include "cpu/radix/hybrid/sort.hpp"
#include "cpu/radix/msd/sequence.hpp"
#include "cpu/radix/msd/source.hpp"

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
    using Bits = JobBits<Job>;
    using BitItems = typename Bits::BitItems;
    const int threads = at_hand(threads_for(job.n, kItemsPerThread, job.threads));
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
    hybrid.sort(Bits::source(job), alternate, data, alternate, job.n, threads);
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(MsdHybrid, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

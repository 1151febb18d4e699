// Radix sort of pairs: radix/hybrid with packed pairs, and networks in place of its last passes.
//
// Over radix/hybrid: pairs are packed, and a leaf is distributed once more and sorted in registers.
// - Between the partition and the leaves a pair is one piece of memory, 8 or 12 bytes. It takes one
//   store instead of two for separate keys and values, and half the cache lines in flight. So a
//   partition's buffers can be twice as long, and 2048 buckets are enough where hybrid partitions
//   twice.
// - A leaf is distributed once more by up to 10 bits, to pieces of 80 to 160 pairs. It is not
//   counted first: each piece has room for more pairs than expected. If keys are clustered, a
//   sample makes the digit, finer where there are more keys, and sets the sizes of the rooms. Bits
//   that are equal in all keys of a leaf are left out.
// - A piece is sorted in registers, as numbers made of the rest of the key and of the pair's place.
//   These all differ, so the result is stable although the network is not. Then the pairs are
//   moved. Runs of pairs are sorted again if their numbers had no room for the bits that
//   distinguish them.
// - If half of a bucket that is too large for a leaf has one key, the values of that key go straight
//   to the result. Other such buckets are partitioned again, by all threads or by one that leaves
//   the parts to all.
// - It prefetches: the next keys to count, the next leaf while this one is sorted, and on Intel's
//   CPUs the buffer of the pair that comes 16 pairs later.
//
//   data       | keys and values as they came
//   workspace  | bucket 0: k v, k v, .. | bucket 1 | ...    bits in the order asked for
//   data       | leaf 0 sorted | leaf 1 sorted | ...        one buffer per thread
//
// The first row that fits decides (MsdPairs::sort()):
//
//   pairs                                     sorted by
//   at most 24                                insertion sort
//   in order or in reverse order              one read, and a reversal (msd/counting.hpp)
//   at most 512, SIMD                         one piece of a leaf (PairFew)
//   one thread, at most 96 K                  one leaf, in place
//   2^16 and more (2^14 per thread), of at     counting; values alone are scattered (pairs/few_keys.hpp)
//     most 64 keys
//   one thread, at most 256 K, SIMD;          one large leaf
//     at most 1 M if neighbours are close
//   all else                                  a partition, then leaves (pairs/sort.hpp)
//
// Memory traffic: a pair with a u32 key is read and written twice, and its key read once more: 36
// bytes; with a u64 key 56.
// Gain over radix/hybrid, uniform keys, AVX-512: 2^27 on 16 threads, u32+u32 2.6x to 3.0x faster,
// u64+u32 2.4x; 2^24 on one thread, 2.0x and 2.1x (xeon16, pairs.7.txt). Experiments:
// docs/lab/cpu/radix/pairs.md.
//
// The sampled digit, one thread, 512 K pairs with the keys of real programs: up to 2.2x faster than
// a leaf's digit of plain bits (results/emr2/pairs.csv).
// Large buckets in lists of parts, 16 threads, before and after in turns: 1.07x to 1.4x faster on most
// keys of programs that have such buckets, edges of graphs 1.05x slower
// (results/xeon16/attempts/pairs.10.txt).
//
// Stable. Any n. Extra memory: n pairs, and 4 or 6 MiB per thread; one thread with up to 1 M pairs: 4n
// pairs. Without SIMD the leaves are hybrid's, and there are no large ones.
// Limits: a bucket too large for a leaf is unpacked first. So keys with many zero bits may take
// longer than with hybrid, whose partition already sorts them.
//
// Source: as for radix/hybrid; the sort by numbers in registers is our own.
#include <algorithm>
#include <type_traits>

#include "common/contract/usable_cpus.hpp"
#include "common/contract/variant.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/pairs/few_keys.hpp"
#include "cpu/radix/pairs/sort.hpp"

namespace sortlab {
namespace {
using namespace cpu::radix::pairs;

using cpu::primitives::parallel::at_hand, cpu::primitives::parallel::kItemsPerThread,
    cpu::primitives::parallel::threads_for;

struct MsdPairs {
  static constexpr ParamSpec kParams[] = {
      {.name = "stream_from_mib",
       .fallback = 32,
       .min = 0,
       .max = 1 << 20,
       .help =
           "the least MiB of pairs that move with non-temporal stores; a partition moves so from a "
           "sixteenth of it on AMD's CPUs, from a quarter with several threads on others"}};

  // With one thread, up to this many pairs are distributed to pieces directly; up to the second
  // number, if neighbours in memory are often close in the order, too.
  // measured: u32+u32, Mpairs/s: 2^18 Morton codes 194 (so) vs 105 (partitioned first); 2^19, 181 vs 110,
  // but uniform 147 vs 180; results/emr2/pairs.csv has the whole sort
  static constexpr std::size_t kLargeLeafItems = std::size_t{256} << 10;
  static constexpr std::size_t kLargestLeafItems = std::size_t{1} << 20;

  /// From so many pairs on, and so many per thread, few keys are worth counting. It wakes the threads more often than
  /// other sorts do.
  /// measured: experts, 100,003 pairs, 16 threads, us: u32 116 (radix/hybrid) vs 198 (counted), u64 168 vs 232;
  /// 1,000,003: u32 924 vs 881; results/xeon16/attempts/choice.1.txt.xz
  static constexpr std::size_t kLeastCounted = std::size_t{1} << 16;
  static constexpr std::size_t kLeastCountedShare = std::size_t{1} << 14;

  static constexpr Info info{.summary = "MSD once, packed; one digit in cache, then SIMD networks",
                             .source = "Stehle and Jacobsen 2017; Kokot et al. 2017",
                             .after = "cpu/radix/hybrid",
                             .candidate = Candidate{.rank = 1},
                             .stable = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};

  /// Whether one thread sorts all pairs as a leaf, in place.
  static bool is_leaf(std::size_t n, int threads) { return threads == 1 && n <= kPairLeafItems; }

  /// Whether they are one piece of a leaf.
  static bool is_few(std::size_t n, Isa isa) { return n <= kFewPairs && isa != Isa::scalar; }

  /// The same with more memory than a thread has for leaves.
  static bool may_be_large_leaf(std::size_t n, int threads) {
    return threads == 1 && n <= kLargestLeafItems;
  }
  template <class Job>
  static bool is_large_leaf(const Job& job, int threads) {
    return may_be_large_leaf(job.n, threads) && job.isa != Isa::scalar &&
           (job.n <= kLargeLeafItems || neighbours_are_close(JobBits<Job>::source(job), job.n));
  }

  /// On AMD's CPUs a partition through buffers pays from 2 MiB on.
  /// measured: uniform, 1 thread, Mpairs/s: 2^20 u32 256 (from 2 MiB) vs 190 (from 32 MiB), 2^21 u64 158
  /// vs 116; but heavy u64 137 vs 154 at 2^19; zen5, results/zen5/one_thread.csv
  /// On others with several threads it pays from 8 MiB on.
  /// measured: uniform, 16 threads, Mpairs/s: 2^20 u64 725 (from 8 MiB) vs 356 (from 32 MiB), u32 1009 vs
  /// 853; but morton u32 728 vs 786; results/xeon16/attempts/pairs.10.txt
  static std::size_t partition_stream_from(std::size_t stream_from, int threads) {
    return stream_from / (cpu_is_amd() ? 16 : threads > 1 ? 4 : 1);
  }

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    if (request.n <= kInsertionItems) return 0;
    const int threads = threads_for(request.n, kItemsPerThread, request.threads);
    const auto bytes = [&](auto bits) {
      using Pairs = Items<decltype(bits), std::uint32_t>;
      if (is_few(request.n, request.isa.value_or(Isa::scalar))) {
        return PairFewMemory<Pairs>::bytes_for(request.n);
      }
      std::size_t more = request.n * PackedPairs<Pairs>::kBytes;
      if (may_be_large_leaf(request.n, threads)) more = DealMemory<Pairs>::bytes(request.n);
      if (is_leaf(request.n, threads)) more = 0;
      return static_cast<std::size_t>(threads) * sizeof(PairState<Pairs>) + more;
    };
    return request.key_bytes == 8 ? bytes(std::uint64_t{}) : bytes(std::uint32_t{});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Bits = JobBits<Job>;
    using BitItems = typename Bits::BitItems;
    using Packed = PackedPairs<BitItems>;
    // The workspace is sized for `most` threads. Fewer may be ready to work now.
    const int most = threads_for(job.n, kItemsPerThread, job.threads), threads = at_hand(most);
    if (sort_at_a_look(job, threads)) return ResultIn::data;

    if (is_few(job.n, job.isa)) {
      Bits::make(job);
      sort_few(Bits::of(job.data), job.n, PairFewMemory<BitItems>(job.workspace.data(), job.n),
               job.isa, {Bits::restore(), false});
      return ResultIn::data;
    }

    const std::size_t stream_from = static_cast<std::size_t>(job.params["stream_from_mib"]) << 20;
    auto* const states = reinterpret_cast<PairState<BitItems>*>(job.workspace.data());
    const BitItems data = Bits::of(job.data);
    if (is_leaf(job.n, threads)) {
      Bits::make(job);
      states[0].sort_leaf(data, data, job.n, kUnknownWidth, job.isa, {Bits::restore(), false}, {});
      return ResultIn::data;
    }
    const Source<BitItems> source = Bits::source(job);
    const Packed via(reinterpret_cast<std::byte*>(states + threads));
    if (job.n >= kLeastCounted && job.n / threads >= kLeastCountedShare &&
        sort_few_keys(source, via.bytes(), data, job.n, threads, states,
                      job.n * Packed::kBytes >= stream_from, Bits::restore())) {
      return ResultIn::data;
    }
    if (is_large_leaf(job, most)) {
      Bits::make(job);
      const auto pieces = DealMemory<BitItems>::in(via.bytes(), job.n, states[0].leaf.rooms);
      cpu::radix::pair_leaf::sort(data, data, job.n, kUnknownWidth, pieces, states[0].leaf, job.isa,
                                  {Bits::restore(), false}, {});
      return ResultIn::data;
    }
    const PairSettings settings{.isa = job.isa,
                                .stream_from_bytes = partition_stream_from(stream_from, threads),
                                .widest_from_bytes = stream_from,
                                .fetch_lines = cpu_is_intel(),
                                .restore = Bits::restore()};
    PairSort<BitItems>(states, threads, settings, via, data, job.n).sort(source);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MsdPairs, AllKeys, TypeList<std::uint32_t>);

}  // namespace
}  // namespace sortlab

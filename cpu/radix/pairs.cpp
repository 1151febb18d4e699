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
// The first row that fits decides (sort()):
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

namespace sortlab::cpu::radix::pairs {
namespace {
using primitives::parallel::at_hand, primitives::parallel::kItemsPerThread,
    primitives::parallel::threads_for;

// With one thread, up to this many pairs are distributed to pieces directly; up to the second
// number, if neighbours in memory are often close in the order, too.
// measured: u32+u32, Mpairs/s: 2^18 Morton codes 194 (so) vs 105 (partitioned first); 2^19, 181 vs 110,
// but uniform 147 vs 180; results/emr2/pairs.csv has the whole sort
constexpr std::size_t kLargeLeafItems = std::size_t{256} << 10;
constexpr std::size_t kLargestLeafItems = std::size_t{1} << 20;

/// From so many pairs on, and so many per thread, few keys are worth counting. It wakes the threads more often than
/// other sorts do.
/// measured: experts, 100,003 pairs, 16 threads, us: u32 116 (radix/hybrid) vs 198 (counted), u64 168 vs 232;
/// 1,000,003: u32 924 vs 881; results/xeon16/attempts/choice.1.txt.xz
constexpr std::size_t kLeastCounted = std::size_t{1} << 16;
constexpr std::size_t kLeastCountedShare = std::size_t{1} << 14;

/// Whether one thread sorts all pairs as a leaf, in place.
bool is_leaf(std::size_t n, int threads) { return threads == 1 && n <= kPairLeafItems; }

/// Whether they are one piece of a leaf.
bool is_few(std::size_t n, Isa isa) { return n <= kFewPairs && isa != Isa::scalar; }

/// Whether they may be one leaf with more memory than a thread has for leaves.
bool may_be_large_leaf(std::size_t n, int threads) {
  return threads == 1 && n <= kLargestLeafItems;
}

/// On AMD's CPUs a partition through buffers pays from 2 MiB on.
/// measured: uniform, 1 thread, Mpairs/s: 2^20 u32 256 (from 2 MiB) vs 190 (from 32 MiB), 2^21 u64 158
/// vs 116; but heavy u64 137 vs 154 at 2^19; zen5, results/zen5/one_thread.csv
/// On others with several threads it pays from 8 MiB on.
/// measured: uniform, 16 threads, Mpairs/s: 2^20 u64 725 (from 8 MiB) vs 356 (from 32 MiB), u32 1009 vs
/// 853; but morton u32 728 vs 786; results/xeon16/attempts/pairs.10.txt
std::size_t partition_stream_from(std::size_t stream_from, int threads) {
  return stream_from / (cpu_is_amd() ? 16 : threads > 1 ? 4 : 1);
}

template <class Bits>
std::size_t workspace_bytes(std::size_t n, int threads, Isa isa) {
  using Pairs = Items<Bits, std::uint32_t>;
  if (is_few(n, isa)) return PairFewMemory<Pairs>::bytes_for(n);
  std::size_t more = n * PackedPairs<Pairs>::kBytes;
  if (may_be_large_leaf(n, threads)) more = DealMemory<Pairs>::bytes(n);
  if (is_leaf(n, threads)) more = 0;
  return static_cast<std::size_t>(threads) * sizeof(PairState<Pairs>) + more;
}

/// What the sort needs beside the pairs.
struct Means {
  std::byte* workspace;  // of workspace_bytes()
  int threads;           // for which that is
  Isa isa;
  std::size_t
      stream_from_bytes;  // of more than a few pairs: as much as moves with non-temporal stores
};

/// Sorts n pairs, stably.
template <Order kOrder, class Key, class Value>
void sort(Items<Key, Value> pairs, std::size_t n, const Means& means) {
  using Form = BitForm<Key, Value, kOrder>;
  using Bits = typename Form::BitItems;
  using Packed = PackedPairs<Bits>;
  const int threads = at_hand(means.threads);  // fewer may be ready to work now
  if (sort_at_a_look(pairs, n, threads, KeyLess<Key, kOrder>())) return;

  const Bits data = Form::of(pairs);
  const LeafOutput into_place{Form::restore(), false};
  if (is_few(n, means.isa)) {
    Form::make(pairs.keys, n);
    return sort_few(data, n, PairFewMemory<Bits>(means.workspace, n), means.isa, into_place);
  }

  auto* const states = reinterpret_cast<PairState<Bits>*>(means.workspace);
  if (is_leaf(n, threads)) {
    Form::make(pairs.keys, n);
    return states[0].sort_leaf(data, data, n, kUnknownWidth, means.isa, into_place, {});
  }
  const Source<Bits> source = Form::source(pairs);
  const Packed via(reinterpret_cast<std::byte*>(states + threads));
  if (n >= kLeastCounted && n / threads >= kLeastCountedShare &&
      sort_few_keys(source, via.bytes(), data, n, threads, states,
                    n * Packed::kBytes >= means.stream_from_bytes, Form::restore())) {
    return;
  }
  if (may_be_large_leaf(n, means.threads) && means.isa != Isa::scalar &&
      (n <= kLargeLeafItems || neighbours_are_close(source, n))) {
    Form::make(pairs.keys, n);
    const auto pieces = DealMemory<Bits>::in(via.bytes(), n, states[0].leaf.rooms);
    return pair_leaf::sort(data, data, n, kUnknownWidth, pieces, states[0].leaf, means.isa,
                           into_place, {});
  }
  const PairSettings settings{
      .isa = means.isa,
      .stream_from_bytes = partition_stream_from(means.stream_from_bytes, threads),
      .widest_from_bytes = means.stream_from_bytes,
      .fetch_lines = cpu_is_intel(),
      .restore = Form::restore()};
  PairSort<Bits>(states, threads, settings, via, data, n).sort(source);
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs

namespace sortlab {
namespace {
using namespace cpu::radix::pairs;

struct MsdPairs {
  static constexpr ParamSpec kParams[] = {
      {.name = "stream_from_mib",
       .fallback = 32,
       .min = 0,
       .max = 1 << 20,
       .help =
           "the least MiB of pairs that move with non-temporal stores; a partition moves so from a "
           "sixteenth of it on AMD's CPUs, from a quarter with several threads on others"}};
  static constexpr Info info{.summary = "MSD once, packed; one digit in cache, then SIMD networks",
                             .source = "Stehle and Jacobsen 2017; Kokot et al. 2017",
                             .after = "cpu/radix/hybrid",
                             .candidate = Candidate{.rank = 1},
                             .stable = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    if (request.n <= kInsertionItems) return 0;
    const int threads = threads_for(request.n, kItemsPerThread, request.threads);
    const Isa isa = request.isa.value_or(Isa::scalar);
    return request.key_bytes == 8
               ? cpu::radix::pairs::workspace_bytes<std::uint64_t>(request.n, threads, isa)
               : cpu::radix::pairs::workspace_bytes<std::uint32_t>(request.n, threads, isa);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    Means means{job.workspace.data(), threads_for(job.n, kItemsPerThread, job.threads), job.isa, 0};
    // A look at the parameters would take long beside the sort of a few pairs.
    if (!is_few(job.n, job.isa)) {
      means.stream_from_bytes = static_cast<std::size_t>(job.params["stream_from_mib"]) << 20;
    }
    cpu::radix::pairs::sort<Job::kOrder>(job.data, job.n, means);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MsdPairs, AllKeys, TypeList<std::uint32_t>);

}  // namespace
}  // namespace sortlab

// Sample sort: quicksort with hundreds of pivots at a time, chosen from a sorted sample.
//
// Over iterative: a key crosses memory a few times rather than about log2(n) times; the host takes no
// part; no queue can overflow; and every step works with all threads of the GPU on all segments.
//
//     level 1   array   -> up to 1024 buckets     count, place, scatter   data -> alternate
//     level 2   buckets -> up to 1024 each        the same                alternate -> data
//     leaves    a block sorts a bucket by merging in shared memory
//
// A level reads the keys twice, writes them once, and writes and reads a bucket number of one byte
// per key, or two bytes with over 256 buckets: with the leaves 36 bytes per 32-bit key. It only
// compares keys: `sample::sort` takes any keys and any strict weak order. This variant compares the
// suite's keys as unsigned integers ordered alike (gpu/primitives/key_map.hpp), so that the keys of
// one width share their kernels. A key frequent enough to be a splitter twice gets its own bucket,
// which needs no further sorting; so equal keys make the sort faster. There are at most two levels
// and no recursion. If a bucket is still larger than a block's tile (bad luck, or keys made to
// defeat the sample), one block merges it in global memory, slowly, but in n log n steps.
// Not stable. Up to 2^20 items the launches are most of the time: merge/multiway is faster there.
// Gain over iterative: 207x (2^27 u32 keys, H200; medians of two revisions,
// results/h200/comparison.summary.csv and ladder.summary.csv).
// Bytes per u32 key: 36.
// Source: Leischner, Osipov and Sanders, "GPU sample sort", 2010; Axtmann et al., "In-place
// parallel super scalar samplesort", 2017, for the buckets of one key. Attempts:
// docs/lab/gpu/quick/sample.md.
#include "gpu/primitives/key_map.hpp"
#include "gpu/quick/sample/sort.cuh"

namespace sortlab {
namespace {

/// One set of kernels for all key types and orders of a width: keys are sorted as unsigned
/// integers, which a map makes of them in registers.
template <class Bits, class Value>
using TypesOf =
    gpu::quick::sample::Types<KeyLess<Bits, Order::ascending>, gpu::merge_sort::Ties::any_order,
                              Bits, Value, gpu::KeyMap<Bits>>;

struct Sample {
  static constexpr Info info{
      .summary = "sample sort, two levels of up to 1024 buckets, then one block per bucket",
      .source = "Leischner, Osipov and Sanders 2010",
      .after = "gpu/quick/iterative",
      .candidate = Candidate{.rank = 5, .block_kib = 92},
      .memory = Memory::device,
      .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
      return gpu::quick::sample::workspace_bytes<TypesOf<Bits, Value>>(request.n);
    };
    return visit_widths(request.key_bytes, request.value_bytes, bytes);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using T = TypesOf<BitsOf<typename Job::Key>, typename Job::Value>;
    gpu::quick::sample::sort<T>(gpu::as_bits(job.data), gpu::as_bits(job.alternate), job.n,
                                job.workspace.data(), job.stream,
                                gpu::key_map_of<typename Job::Key, Job::kOrder>());
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(Sample, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

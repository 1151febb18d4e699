// Radix sort of few items, up to about a million, in one launch (over 540 thousand pairs: with more behind it): as long as
// the GPU's blocks can hold all of them in registers, a sort costs launches, barriers and latency, not bandwidth.
//
// The first row that fits decides (SmallSort in small/kernels.cu):
//
//   items                      sorted by
//   at most 4 Ki; keys of      a block        items -> bins by their leading bits -> networks of 8 items
//     32 bits alone: 8 Ki
//   at most 16 Ki, if the      a cluster      sampled splitters -> each item to its bucket's block -> as above
//     GPU has clusters
//   more                       a whole grid   the same through L2, with cooperative barriers
//     that crowd in a sample,    passes over these digits (small/passes.cuh)
//     and differ in few digits
//     many uneven pairs          the passes of the onesweep, in launches behind (small/kernels.cu)
//
// A bin is a digit in the widest sense: the key's distance from the lowest one, scaled so that
// there are as many bins as items. So one pass puts all items nearly in place, whatever the width of
// their keys, and the networks finish (small/block.cuh). A block has no room for more
// items than that; several first share them out by comparisons with splitters from a sample
// (small/sort.cuh, small/team.cuh).
// Against ballot_1bit: one launch instead of three a bit, and each key moves once (by a team:
// twice). A sample of the input decides how large the buckets get; one that is too large is still
// sorted, but slowly. Pairs carry their place in the input until they are in order, and are stable.
// Sweeps behind cost even pairs launches that are over at once. measured: 545 thousand to 1.05 million pairs, 18 kinds of
// keys, without and with them, us: u32 kmers 285 vs 84, splats 99 vs 58, uniform 53 vs 60, all kinds 1.12x faster in the
// median; u64 kmers 304 vs 158, uniform 76 vs 90, 1.02x; H200, small.15.txt
// Bytes a 32-bit key: 8 for a block, 16 for a grid (of which 8 in L2; as much again for each pass by digits), and
// the sample.
// Limits: n at most 8192 a multiprocessor.
// Source: sample sort (Frazer and McKellar 1970), networks (Batcher 1968), LSD radix sort (Knuth 5.2.5); the rest is
// our own.
#include <algorithm>

#include "common/contract/errors.hpp"
#include "common/contract/variant.hpp"
#include "gpu/radix/small/sort.cuh"

namespace sortlab {
namespace {

using namespace gpu::radix::small;

struct Small {
  static constexpr Info info{.summary = "one launch for few items: sampled buckets, bins, networks",
                             .source = "our own; Frazer and McKellar 1970; Batcher 1968",
                             .after = "gpu/radix/ballot_1bit",
                             .candidate = Candidate{.rank = 7, .block_kib = 81},
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static Limit capacity() {
    constexpr std::string_view kReason = "the blocks of one launch hold no more keys";
    const std::size_t shared_bytes = gpu::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return {std::max<std::size_t>(kMaxOfBlock, grid_blocks() * max_share(shared_bytes)), kReason};
  }

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return visit_widths(request.key_bytes, request.value_bytes,
                        [&]<class Bits, class Value>(Bits, Value) {
                          return Space<Bits, Value>(nullptr, request.n).bytes;
                        });
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Bits = BitsOf<typename Job::Key>;
    using Value = typename Job::Value;
    if (job.n == 0) return ResultIn::data;
    if (job.n > capacity().max_n) throw BadInput("gpu/radix/small takes few keys only");
    const Space<Bits, Value> space(job.workspace.data(), job.n);
    const auto data = gpu::as_bits(job.data);
    const auto alternate = gpu::as_bits(job.alternate);
    gpu::radix::small::sort<Bits, Value>({.data = data,
                                          .exchange = alternate,
                                          .spare = {data.keys, space.d_spare_places},
                                          .result = Job::kPairs ? alternate : data,
                                          .n = static_cast<unsigned>(job.n),
                                          .map = gpu::key_map_of<typename Job::Key, Job::kOrder>()},
                                         space, gpu::sweep::arrays_of(job), job.stream);
    return Job::kPairs ? ResultIn::alternate : ResultIn::data;
  }
};
SORTLAB_REGISTER(Small, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

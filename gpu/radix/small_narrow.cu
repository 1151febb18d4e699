// gpu/radix/small for up to 2.4 million keys of 32 bits alone: the same team of blocks, with larger
// chunks and buckets.
//
//   up to 1.5 million   a bucket of up to 20 keys per thread, held in registers
//         1.8 million   of 24
//         2.4 million   of 32, which leave no room for the keys: they are read three times
//
// Over small, whose widest items leave a block no room for more than 8 per thread: one launch rather
// than the six of msd_hybrid, and the time per key has no step where that takes over.
// Gain at 1.5 million u32 keys on an H200, us: 40 vs 58 by msd_hybrid
// (docs/lab/gpu/radix/small.md).
// Bytes a key: 16, of which 8 in L2; for the largest buckets 24, of which 16.
// Limits: keys of 32 bits alone; n at most 18,724 a multiprocessor.
// Source: our own, as gpu/radix/small.
#include "gpu/primitives/given_items.hpp"
#include "gpu/primitives/grid/team.cuh"
#include "gpu/primitives/launch/team.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/small/grid_blocks.cuh"

namespace sortlab {
namespace {

namespace small = gpu::radix::small;
using gpu::TeamKind;
using Bits = std::uint32_t;

template <unsigned kItems, unsigned kBucketItems>
using NarrowShape = small::TeamShape<Bits, NoValue, 1024, kItems, kBucketItems, 4>;
using LargeShape = NarrowShape<12, 20>;
using LargerShape = NarrowShape<16, 24>;
using LargestShape = NarrowShape<20, 32>;

constexpr unsigned kBlockThreads = 1024;
constexpr unsigned kItemsOfBlock = 4;  // what is fewer than a block's items, a block sorts
constexpr unsigned kSampled = 31;      // a bucket

/// The most keys a block: with 31 sampled a bucket, one in 10,000 outgrows 7/4 of its share.
template <class Shape>
constexpr unsigned kMaxShare = std::min(Shape::kChunk, Shape::kBucket / 7 * 4);

using Job32 = small::TeamJob<Bits, NoValue>;

template <class Shape>
void sort_by_team(const Job32& job, small::TeamWords* d_words, cudaStream_t stream) {
  const unsigned blocks = small::grid_blocks();
  gpu::launch_team("sort_by_team", TeamKind::grid, small::sort_by_team<gpu::GridTeam, Shape, Job32>,
                   {blocks, Shape::kThreads, sizeof(typename Shape::Shared)}, stream, job, d_words,
                   small::sample_size<Shape>(job.n, blocks * kSampled));
}

struct SmallNarrow {
  static constexpr Info info{.summary = "small's single launch for more keys, 32 bits only",
                             .source = "our own; Frazer and McKellar 1970; Batcher 1968",
                             .after = "gpu/radix/small",
                             .candidate = Candidate{.rank = 8, .block_kib = 167},
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static Limit capacity() {
    constexpr std::string_view kReason = "the blocks of one launch hold no more keys";
    return {std::size_t{small::grid_blocks()} * kMaxShare<LargestShape>, kReason};
  }

  static std::size_t workspace_bytes(const WorkspaceRequest&) {
    gpu::Layout layout;
    layout.take<small::TeamWords>(1);
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    if (job.n == 0) return ResultIn::data;
    if (job.n > capacity().max_n) throw BadInput("gpu/radix/small_narrow takes few keys only");
    const auto data = gpu::as_bits(job.data);
    const Job32 narrow{.data = gpu::given_items(job),
                       .exchange = gpu::as_bits(job.alternate),
                       .spare = data,
                       .result = data,
                       .n = static_cast<unsigned>(job.n),
                       .map = gpu::key_map_of(job)};
    gpu::Layout layout(job.workspace.data());
    auto* const d_words = layout.take<small::TeamWords>(1);
    const std::size_t share = ceil_div(job.n, small::grid_blocks());
    if (job.n <= kBlockThreads * kItemsOfBlock) {
      using Shared = small::BlockShared<Bits, NoValue, kBlockThreads, kItemsOfBlock>;
      gpu::launch_team("sort_by_block", TeamKind::block,
                       small::sort_by_block<kBlockThreads, kItemsOfBlock, Bits, NoValue>,
                       {1, kBlockThreads, sizeof(Shared)}, job.stream, narrow.data, narrow.result,
                       narrow.n, narrow.map);
    } else if (share <= kMaxShare<LargeShape>) {
      sort_by_team<LargeShape>(narrow, d_words, job.stream);
    } else if (share <= kMaxShare<LargerShape>) {
      sort_by_team<LargerShape>(narrow, d_words, job.stream);
    } else {
      sort_by_team<LargestShape>(narrow, d_words, job.stream);
    }
    return ResultIn::data;
  }
};
using NarrowKeys = TypeList<std::uint32_t, std::int32_t, float>;
SORTLAB_REGISTER(SmallNarrow, NarrowKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

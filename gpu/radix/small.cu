// Radix sort of few items, up to about a million, in one launch: as long as the GPU's blocks can
// hold all of them in registers, a sort costs launches, barriers and latency, not bandwidth.
//
//   up to    4 Ki   a block        items -> bins by their leading bits -> networks of 8 items
//           16 Ki   a cluster      sampled splitters -> each item to its bucket's block -> as above
//           more    a whole grid   the same through L2, with cooperative barriers
//
// A bin is a digit in the widest sense: the key's distance from the lowest one, scaled so that
// there are as many bins as items. So one pass puts all items nearly in place, whatever the width of
// their keys, and the networks finish (small/block.cuh). A block has no room for more
// items than that; several first share them out by comparisons with splitters from a sample
// (small/cluster.cuh, small/team.cuh).
// Against ballot_1bit: one launch instead of three a bit, and each key moves once (by a team:
// twice). A sample of the input decides how large the buckets get; one that is too large is still
// sorted, but slowly. Pairs carry their place in the input until they are in order, and are stable.
// Bytes a 32-bit key: 8 for a block, 16 for a grid (of which 8 in L2), and the sample.
// Limits: n at most 8192 a multiprocessor (small_narrow.cu: more, of keys of 32 bits).
// Source: sample sort (Frazer and McKellar 1970), networks (Batcher 1968); the rest is our own.
#include <algorithm>

#include "gpu/primitives/launch/team.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/small/cluster.cuh"

namespace sortlab {
namespace {

using gpu::TeamKind;

// Teams: threads, items of the chunk, of the bucket and of the sample a thread. A bucket has
// room for 1.7 to 8 times its share of the items, so that a sample's errors fit: the fewer items are
// sampled, the more room it needs.
template <class Bits, class Value>
using OneCluster = gpu::radix::small::ClusterShape<Bits, Value, 512, 2, 8, 128>;
template <class Bits, class Value>
using SmallShape = gpu::radix::small::TeamShape<Bits, Value, 512, 2, 8, 2>;
template <class Bits, class Value>
using MediumShape = std::conditional_t<kValueBytes<Value> == 0,
                                       gpu::radix::small::TeamShape<Bits, Value, 1024, 4, 8, 4>,
                                       gpu::radix::small::TeamShape<Bits, Value, 512, 8, 16, 8>>;
template <class Bits, class Value>
constexpr bool kIsWidePair = sizeof(Bits) == 8 && kValueBytes<Value> > 0;
template <class Bits, class Value>
using LargeShape =
    gpu::radix::small::TeamShape<Bits, Value, 1024, 8, kIsWidePair<Bits, Value> ? 14 : 16, 4>;

constexpr unsigned kMaxOfBlock = 4096;
constexpr unsigned kMaxOfNarrowBlock = 8192;  // keys of 32 bits alone
constexpr unsigned kMaxOfCluster =
    gpu::radix::small::kMaxCluster * OneCluster<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfSmall = SmallShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfMedium = MediumShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfLarge = LargeShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfFewBlocks = 32768;  // more items get blocks of half a chunk, if there are

unsigned grid_blocks() {
  const std::size_t processors = gpu::device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<unsigned>(std::min<std::size_t>(processors, gpu::radix::small::kMaxTeam));
}

/// The most items a block that this GPU has the shared memory for.
std::size_t max_share() {
  using Bits = std::uint64_t;
  using Value = std::uint32_t;
  const std::size_t room = gpu::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const auto fits = [room]<class Shape>(Shape) { return sizeof(typename Shape::Shared) <= room; };
  if (fits(LargeShape<Bits, Value>{})) return kMaxOfLarge;
  if (fits(MediumShape<Bits, Value>{})) return kMaxOfMedium;
  return kMaxOfSmall;
}

/// A sort, and what it may use.
template <class Bits, class Value>
struct SmallSort {
  using Job = gpu::radix::small::TeamJob<Bits, Value>;
  static constexpr ResultIn kResultOfTeam = Job::kPairs ? ResultIn::alternate : ResultIn::data;

  Job job;
  unsigned* d_totals;
  cudaStream_t stream;

  template <unsigned kThreads, unsigned kItems>
  ResultIn by_block() const {
    using Shared = gpu::radix::small::BlockShared<Bits, Value, kThreads, kItems>;
    gpu::launch_team("sort_by_block", TeamKind::block,
                     gpu::radix::small::sort_by_block<kThreads, kItems, Bits, Value>,
                     {1, kThreads, sizeof(Shared)}, stream, job.data, job.n, job.map);
    return ResultIn::data;
  }

  template <class Shape>
  static gpu::Grid grid_of(unsigned blocks) {
    return {blocks, Shape::kThreads, sizeof(typename Shape::Shared)};
  }

  /// kSampled: sampled items a bucket, at most.
  template <class Shape, unsigned kSampled>
  ResultIn by_team(unsigned blocks) const {
    const unsigned sampled = gpu::radix::small::sample_size<Shape>(job.n, blocks * kSampled);
    gpu::launch_team("sort_by_team", TeamKind::grid,
                     gpu::radix::small::sort_by_team<gpu::radix::small::GridTeam, Shape, Job>,
                     grid_of<Shape>(blocks), stream, job, d_totals, sampled);
    return kResultOfTeam;
  }

  ResultIn by_grid() const {
    const unsigned wanted_share = job.n <= kMaxOfFewBlocks ? kMaxOfSmall : kMaxOfSmall / 2;
    const auto wanted = static_cast<unsigned>(ceil_div(job.n, wanted_share));
    const unsigned blocks = std::min(wanted, grid_blocks());
    const auto share = static_cast<unsigned>(ceil_div(job.n, blocks));
    if (share <= kMaxOfSmall) return by_team<SmallShape<Bits, Value>, 16>(blocks);
    if (share <= kMaxOfMedium) return by_team<MediumShape<Bits, Value>, 31>(blocks);
    return by_team<LargeShape<Bits, Value>, 31>(blocks);
  }

  static auto cluster_kernel() {
    return gpu::radix::small::sort_by_cluster<gpu::radix::small::ClusterTeam,
                                              OneCluster<Bits, Value>, Job>;
  }
  static gpu::Grid cluster_grid() {
    return grid_of<OneCluster<Bits, Value>>(gpu::radix::small::kMaxCluster);
  }

  ResultIn by_cluster() const {
    gpu::launch_team("sort_by_cluster", TeamKind::cluster, cluster_kernel(), cluster_grid(), stream,
                     job);
    return kResultOfTeam;
  }

  ResultIn operator()() const {
    if (job.n <= 1024) return by_block<512, 2>();
    if (job.n <= kMaxOfBlock) return by_block<1024, 4>();
    if constexpr (sizeof(Bits) == 4 && !Job::kPairs) {
      if (job.n <= kMaxOfNarrowBlock) return by_block<1024, kMaxOfNarrowBlock / 1024>();
    }
    if (job.n <= kMaxOfCluster &&
        gpu::is_runnable(TeamKind::cluster, cluster_kernel(), cluster_grid())) {
      return by_cluster();
    }
    return by_grid();
  }
};

struct Small {
  static constexpr Info info{.summary = "one launch for few items: sampled buckets, bins, networks",
                             .source = "our own; Frazer and McKellar 1970; Batcher 1968",
                             .after = "gpu/radix/ballot_1bit",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static Limit capacity() {
    constexpr std::string_view kReason = "the blocks of one launch hold no more keys";
    return {std::max<std::size_t>(kMaxOfBlock, grid_blocks() * max_share()), kReason};
  }

  template <class Value>
  struct Space {
    Space(std::byte* base, std::size_t n) {
      gpu::Layout layout(base);
      d_totals = layout.take<unsigned>(gpu::radix::small::kMaxTeam);
      if constexpr (kValueBytes < Value >> 0) d_spare_places = layout.take<Value>(n);
      bytes = layout.bytes();
    }
    unsigned* d_totals;
    Value* d_spare_places = nullptr;
    std::size_t bytes;
  };

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return request.value_bytes > 0 ? Space<std::uint32_t>(nullptr, request.n).bytes
                                   : Space<NoValue>(nullptr, request.n).bytes;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Bits = BitsOf<typename Job::Key>;
    using Value = typename Job::Value;
    if (job.n == 0) return ResultIn::data;
    if (job.n > capacity().max_n) throw BadInput("gpu/radix/small takes few keys only");
    const Space<Value> space(job.workspace.data(), job.n);
    const SmallSort<Bits, Value> sort{
        {gpu::as_bits(job.data), gpu::as_bits(job.alternate), space.d_spare_places,
         static_cast<unsigned>(job.n), gpu::key_map_of<typename Job::Key, Job::kOrder>()},
        space.d_totals,
        job.stream};
    return sort();
  }
};
SORTLAB_REGISTER(Small, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Radix sort of few keys, up to about a million, in one launch: as long as the GPU's blocks can
// hold all keys in registers, a sort costs launches, barriers and latency, not bandwidth.
//
//   up to    8 Ki   a block        keys -> bins by their leading bits -> networks of 16 keys
//           16 Ki   a cluster      sampled splitters -> each key to its bucket's block -> as above
//           more    a whole grid   the same, with cooperative barriers
//
// A bin is a digit in the widest sense: the key's distance from the lowest one, scaled so that
// there are as many bins as keys. So one pass puts all keys nearly in place, whatever their width,
// and the networks finish (small_block.cuh). A block has no room for more keys than that; several
// first share them out by comparisons with splitters from a sample (small_team.cuh).
// Against ballot_1bit: one launch instead of three a bit, and each key moves once (by a team:
// twice). A sample of the input decides how large the buckets get; one that is too large is still
// sorted, but slowly.
// Bytes a 32-bit key: 8 for a block, 16 for a team (of which 8 in L2), and the sample.
// Limits: keys alone; n at most 8192 a multiprocessor.
// Source: sample sort (Frazer and McKellar 1970), networks (Batcher 1968); the rest is our own.
#include <algorithm>

#include "gpu/primitives/launch_team.cuh"
#include "gpu/primitives/workspace.cuh"
#include "gpu/radix/small_team.cuh"

namespace sortlab {
namespace {

using gpu::TeamKind;

// Teams: threads, keys of the chunk, of the bucket and of the sample a thread. A bucket holds 1.5
// to 8 times the keys that fall to a block, so that a sample's errors fit: the fewer keys are
// sampled, the more room it needs.
template <class Bits>
using ClusterShape = gpu::TeamShape<Bits, 512, 2, 4, 1>;
template <class Bits>
using SmallShape = gpu::TeamShape<Bits, 512, 2, 8, 2>;
template <class Bits>
using MediumShape = gpu::TeamShape<Bits, 512, 8, 16, 8>;
template <class Bits>
using LargeShape = gpu::TeamShape<Bits, 1024, 8, 12, 4>;

constexpr unsigned kMaxOfBlock = 8192;
constexpr unsigned kClusterBlocks = 16;
constexpr unsigned kMaxOfCluster = kClusterBlocks * ClusterShape<std::uint32_t>::kChunk;
constexpr unsigned kMaxOfSmall = SmallShape<std::uint32_t>::kChunk;
constexpr unsigned kMaxOfMedium = MediumShape<std::uint32_t>::kChunk;
constexpr unsigned kMaxOfFewBlocks = 32768;  // more keys get blocks of half a chunk, if there are

unsigned grid_blocks() {
  const std::size_t processors = gpu::device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<unsigned>(std::min<std::size_t>(processors, gpu::kMaxTeam));
}

/// The most keys a block that this GPU has the shared memory for.
std::size_t max_share() {
  const std::size_t room = gpu::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const auto fits = [room]<class Shape>(Shape) { return sizeof(typename Shape::Shared) <= room; };
  if (fits(LargeShape<std::uint64_t>{})) return LargeShape<std::uint64_t>::kChunk;
  if (fits(MediumShape<std::uint64_t>{})) return kMaxOfMedium;
  return kMaxOfSmall;
}

/// A sort of `n` keys that lie at d_keys, and what it may use.
template <class Bits>
struct SmallSort {
  Bits* d_keys;
  Bits* d_exchange;
  unsigned* d_totals;
  unsigned n;
  gpu::KeyMap<Bits> map;
  cudaStream_t stream;

  template <unsigned kThreads, unsigned kItems>
  void by_block() const {
    using Shared = gpu::BlockSortShared<Bits, kThreads, kThreads * kItems>;
    gpu::launch_team("sort_by_block", TeamKind::block, gpu::sort_by_block<kThreads, kItems, Bits>,
                     {1, kThreads, sizeof(Shared)}, stream, d_keys, n, map);
  }

  template <class Shape>
  static gpu::Grid grid_of(unsigned blocks) {
    return {blocks, Shape::kThreads, sizeof(typename Shape::Shared)};
  }

  /// kSampled: sampled keys a bucket, at most.
  template <class Team, class Shape, unsigned kSampled>
  void by_team(TeamKind kind, unsigned blocks) const {
    const unsigned sampled =
        std::min({n / 2, blocks * kSampled, Shape::kThreads * Shape::kSampleItems});
    gpu::launch_team("sort_by_team", kind, gpu::sort_by_team<Team, Shape, Bits>,
                     grid_of<Shape>(blocks), stream, d_keys, d_exchange, d_totals, n, sampled, map);
  }

  void by_grid() const {
    const unsigned wanted_share = n <= kMaxOfFewBlocks ? kMaxOfSmall : kMaxOfSmall / 2;
    const auto wanted = static_cast<unsigned>(gpu::ceil_div(n, wanted_share));
    const unsigned blocks = std::min(wanted, grid_blocks());
    const auto share = static_cast<unsigned>(gpu::ceil_div(n, blocks));
    if (share <= kMaxOfSmall) {
      by_team<gpu::GridTeam, SmallShape<Bits>, 16>(TeamKind::grid, blocks);
    } else if (share <= kMaxOfMedium) {
      by_team<gpu::GridTeam, MediumShape<Bits>, 32>(TeamKind::grid, blocks);
    } else {
      by_team<gpu::GridTeam, LargeShape<Bits>, 32>(TeamKind::grid, blocks);
    }
  }

  bool has_cluster() const {
    using Shape = ClusterShape<Bits>;
    return gpu::is_runnable(TeamKind::cluster, gpu::sort_by_team<gpu::ClusterTeam, Shape, Bits>,
                            grid_of<Shape>(kClusterBlocks));
  }

  void operator()() const {
    if (n <= 1024) {
      by_block<512, 2>();
    } else if (n <= 4096) {
      by_block<1024, 4>();
    } else if (n <= kMaxOfBlock) {
      constexpr unsigned kThreads = sizeof(Bits) == 8 ? 512 : 1024;  // 1024 would spill the wider
      by_block<kThreads, kMaxOfBlock / kThreads>();
    } else if (n <= kMaxOfCluster && has_cluster()) {
      by_team<gpu::ClusterTeam, ClusterShape<Bits>, 16>(TeamKind::cluster, kClusterBlocks);
    } else {
      by_grid();
    }
  }
};

struct Small {
  static constexpr Info info{.summary = "one launch for few keys: sampled buckets, bins, networks",
                             .source = "our own; sample sort, Batcher's networks",
                             .after = "gpu/radix/ballot_1bit",
                             .memory = Memory::device,
                             .alternate = true};

  static Limit limit(std::string_view) {
    constexpr std::string_view kReason = "the blocks of one launch hold no more keys";
    return {std::max<std::size_t>(kMaxOfBlock, grid_blocks() * max_share()), kReason};
  }

  static std::size_t workspace_bytes(const WorkspaceRequest&) {
    gpu::Layout layout;
    layout.take<unsigned>(gpu::kMaxTeam);
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Bits = BitsOf<typename Job::Key>;
    if (job.n == 0) return ResultIn::data;
    if (job.n > limit("").max_n) throw BadInput("gpu/radix/small takes few keys only");
    gpu::Layout layout(job.workspace.data());
    const SmallSort<Bits> sort{reinterpret_cast<Bits*>(job.data.keys),
                               reinterpret_cast<Bits*>(job.alternate.keys),
                               layout.take<unsigned>(gpu::kMaxTeam),
                               static_cast<unsigned>(job.n),
                               gpu::key_map_of<typename Job::Key, Job::kOrder>(),
                               job.stream};
    sort();
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(Small, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

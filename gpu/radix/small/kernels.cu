// The kernels of gpu/radix/small, in a unit for each width of keys and values (cmake/variants.cmake), and which launch sorts
// a number of items.
#include "gpu/primitives/grid/barrier.cuh"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/launch/team.cuh"
#include "gpu/radix/small/passes.cuh"
#include "gpu/radix/small/sort.cuh"

namespace sortlab::gpu::radix::small {

// What is behind a large team of gpu/radix/small for uneven pairs, which it leaves as they are (team.cuh): the passes
// of the onesweep, in launches that are over at once otherwise.
//
//   team    sample -> even:    splitters, buckets, networks (team.cuh)
//                  -> uneven:  counts the digits of all keys, plans the passes
//   behind  nothing, or pass, pass, .., the result brought to where the team's would be
//
// Source: that of gpu/radix/onesweep.

template <class Bits, class Value>
__global__ void __launch_bounds__(sweep::kCopyThreads)
    bring_swept(__grid_constant__ const LeftToSweeps<Bits, Value> left,
                __grid_constant__ const Items<Bits, Value> home) {
  await_previous_kernel();
  const auto& it = left.around;
  if (*left.is_left) sweep::bring_home(it.arrays, it.n, it.plan->ends_in, home);
}

/// Launches all that is behind the team's kernel. The result is in `home`. The first pass takes tiles by counters that
/// the team has made zero: it starts when the team's blocks have ended.
template <class Bits, class Value>
void launch_sweeps(const sweep::Sweeps<Bits, Value>& sweeps, const LeftToSweeps<Bits, Value>& left,
                   const Items<Bits, Value>& home, cudaStream_t stream) {
  sweeps.sweep(left.around.arrays, stream);
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("bring_swept", bring_swept<Bits, Value>, {sms, sweep::kCopyThreads}, stream, left,
               home);
}

/// A sort, and what it may use.
template <class Bits, class Value>
struct SmallSort {
  using Job = TeamJob<Bits, Value>;
  Job job;
  Space<Bits, Value> space;
  sweep::Arrays<Bits, Value> arrays;
  cudaStream_t stream;

  template <unsigned kThreads, unsigned kItems>
  void by_block() const {
    using Shared = BlockShared<Bits, Value, kThreads, kItems>;
    launch_team("sort_by_block", TeamKind::block, sort_by_block<kThreads, kItems, Bits, Value>,
                {1, kThreads, sizeof(Shared)}, stream, job.data, job.result, job.n, job.map);
  }

  template <class Shape>
  static Grid grid_of(unsigned blocks) {
    return {blocks, Shape::kThreads, sizeof(typename Shape::Shared)};
  }

  /// kSampled: sampled items a bucket, at most.
  template <class Shape, unsigned kSampled>
  void by_team(unsigned blocks) const {
    const unsigned sampled = sample_size<Shape>(job.n, blocks * kSampled);
    launch_team("sort_by_team", TeamKind::grid, sort_by_team<GridTeam, Shape, Job>,
                grid_of<Shape>(blocks), stream, job, space.d_words, sampled);
  }

  /// The same, and what the team leaves to sweeps.
  template <class Shape, unsigned kSampled>
  void by_team_or_sweeps(unsigned blocks) {
    const sweep::Sweeps<Bits, Value> sweeps(job.n, space.d_sweeps);
    job.sweeps = {sweep::BeforeSweeps(sweeps, arrays), sweeps.cleared(), sweeps.cleared_words(),
                  &space.d_words->is_left};
    by_team<Shape, kSampled>(blocks);
    launch_sweeps(sweeps, job.sweeps, job.result, stream);
  }

  void by_grid() {
    const unsigned wanted_share = job.n <= kMaxOfFewBlocks ? kMaxOfSmall : kMaxOfSmall / 2;
    const auto wanted = static_cast<unsigned>(ceil_div(job.n, wanted_share));
    const unsigned blocks = std::min(wanted, grid_blocks());
    const auto share = static_cast<unsigned>(ceil_div(job.n, blocks));
    if (share <= kMaxOfSmall) return by_team<SmallShape<Bits, Value>, 16>(blocks);
    if (share <= kMaxOfMedium) return by_team<MediumShape<Bits, Value>, 31>(blocks);
    if constexpr (Job::kPairs) {
      by_team_or_sweeps<LargeShape<Bits, Value>, 31>(blocks);
    } else {
      by_team<LargeShape<Bits, Value>, 31>(blocks);
    }
  }

  static auto cluster_kernel() {
    return sort_by_cluster<ClusterTeam, OneCluster<Bits, Value>, Job>;
  }
  static Grid cluster_grid() { return grid_of<OneCluster<Bits, Value>>(kMaxCluster); }

  void by_cluster() const {
    launch_team("sort_by_cluster", TeamKind::cluster, cluster_kernel(), cluster_grid(), stream,
                job);
  }

  void operator()() {
    if (job.n <= 1024) return by_block<512, 2>();
    if (job.n <= kMaxOfBlock) return by_block<1024, 4>();
    if constexpr (sizeof(Bits) == 4 && !Job::kPairs) {
      if (job.n <= kMaxOfNarrowBlock) return by_block<1024, kMaxOfNarrowBlock / 1024>();
    }
    if (job.n <= kMaxOfCluster &&
        is_runnable(TeamKind::cluster, cluster_kernel(), cluster_grid())) {
      return by_cluster();
    }
    return by_grid();
  }
};

template <class Bits, class Value>
void sort(TeamJob<Bits, Value> job, const Space<Bits, Value>& space,
          const sweep::Arrays<Bits, Value>& arrays, cudaStream_t stream) {
  SmallSort<Bits, Value>{job, space, arrays, stream}();
}

template void sort(TeamJob<SORTLAB_UNIT_KEY, SORTLAB_UNIT_VALUE>,
                   const Space<SORTLAB_UNIT_KEY, SORTLAB_UNIT_VALUE>&,
                   const sweep::Arrays<SORTLAB_UNIT_KEY, SORTLAB_UNIT_VALUE>&, cudaStream_t);

}  // namespace sortlab::gpu::radix::small

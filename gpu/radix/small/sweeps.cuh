// What is behind a large team of gpu/radix/small for uneven pairs, which it leaves as they are (sample.cuh): the passes of
// the onesweep, in launches that are over at once otherwise.
//
//   team    sample -> even:    splitters, buckets, networks (team.cuh)
//                  -> uneven:  nothing
//   behind  nothing, or count, plan, pass, pass, .., the result brought to where the team's would be
//
// Source: that of gpu/radix/onesweep.
#pragma once

#include "gpu/primitives/grid/sweep/fall_back.cuh"
#include "gpu/radix/small/passes.cuh"

namespace sortlab::gpu::radix::small {

/// Plans the sweeps. The kernel behind takes tiles by counters that the team has made zero, before the kernel in front of it
/// has ended: so it must not start before the team has.
template <class Bits, class Value>
__global__ void __launch_bounds__(sweep::kPlanThreads, 1)
    plan_sweeps(__grid_constant__ const sweep::AroundSweeps<Bits, Value> it, const bool* is_left) {
  await_previous_kernel_alone();
  if (!*is_left) return;
  sweep::count_and_plan(it.arrays.source.keys, it.arrays.has_own_source(), it.arrays.key_map, it.n,
                        it.plan, it.words, it.word_vectors);
}

template <class Bits, class Value>
__global__ void __launch_bounds__(sweep::kCopyThreads)
    bring_swept(__grid_constant__ const sweep::AroundSweeps<Bits, Value> it, const bool* is_left,
                __grid_constant__ const Items<Bits, Value> home) {
  await_previous_kernel();
  if (*is_left) sweep::bring_home(it.arrays, it.n, it.plan->ends_in, home);
}

/// Launches all that is behind the team's kernel. The result is in `home`.
template <class Bits, class Value>
void launch_sweeps(const sweep::FallBack<Bits, Value>& fall_back,
                   const sweep::Arrays<Bits, Value>& arrays, std::size_t n, const bool* is_left,
                   const Items<Bits, Value>& home, cudaStream_t stream) {
  const sweep::AroundSweeps it(fall_back, arrays, n);
  launch_early("plan_sweeps", plan_sweeps<Bits, Value>,
               {sweep::plan_blocks(n), sweep::kPlanThreads, it.kBytes}, stream, it, is_left);
  sweep::with_tile<Bits, Value>(n, [&]<class Tile>(Tile) {
    sweep::launch_passes<Tile>(arrays, n, fall_back.space, fall_back.portions, stream);
  });
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("bring_swept", bring_swept<Bits, Value>, {sms, sweep::kCopyThreads}, stream, it,
               is_left, home);
}

}  // namespace sortlab::gpu::radix::small

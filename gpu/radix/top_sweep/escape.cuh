// Counts the digits again if some floats have escaped from the map that spreads them (spread_map.hpp): the first count
// shows it, and the second one is without the map. As a rule no key has escaped, and both kernels end at once.
#pragma once

#include "gpu/primitives/grid/spread/weigh.cuh"
#include "gpu/primitives/grid/sweep/pass_plan.cuh"

namespace sortlab::gpu::radix::top_sweep {

/// One block. If a key has escaped, makes the table plain and the counts zero.
template <class Bits>
__global__ void __launch_bounds__(spread::kThreads)
    forget_map(sweep::Plan<sweep::kPasses<Bits>>* plan, spread::Weighing<Bits>* weighing) {
  constexpr unsigned kPassCount = sweep::kPasses<Bits>;
  await_previous_kernel();
  const bool has_escaped = !weighing->table.is_plain && plan->counts[kPassCount - 1][255] > 0;
  __syncthreads();  // before the counts change
  if (!has_escaped) return;
  for (unsigned i = threadIdx.x; i < kPassCount * sweep::kBins; i += spread::kThreads) {
    plan->counts[i / sweep::kBins][i % sweep::kBins] = 0;
  }
  spread::make_plain(weighing->table);
  if (threadIdx.x == 0) {
    plan->is_unsorted = 0;
    weighing->has_escaped = 1;
  }
}

/// sweep::plan_sort again, if a key has escaped.
template <class Bits, std::size_t kMostBytes>
__global__ void __launch_bounds__(sweep::kPlanThreads, 1)
    plan_again(const Bits* keys, bool has_own_source, EqualSpreadMap<Bits> key_map, std::size_t n,
               sweep::Plan<sweep::kPasses<Bits>>* plan, uint4* words, std::size_t word_vectors,
               const spread::Weighing<Bits>* weighing) {
  await_previous_kernel();
  if (weighing->has_escaped) {
    sweep::count_and_plan<kMostBytes>(keys, has_own_source, key_map, n, plan, words, word_vectors);
  }
}

}  // namespace sortlab::gpu::radix::top_sweep

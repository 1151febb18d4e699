// The kernel of top_p (gpu/topk/calls.hpp): how many of the best items of a row have weights that sum to p.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/scan.cuh"

namespace sortlab::gpu::topk {

template <class Weight>
struct BestWeights {
  const Weight* weights;  // of row r from r * room on, the best first
  std::size_t room;
  const std::uint32_t* ks;  // of each row; null: room
  const float* ps;          // of each row; null: p
  float p;
  std::uint32_t* counts;
};

/// A block for each row. Sums are of doubles and always in the same order, so they do not differ from call to call.
template <class Weight, unsigned kThreads>
__global__ void count_to_sum(BestWeights<Weight> best) {
  __shared__ double s_sums[kThreads / kWarp];
  __shared__ unsigned s_count;
  const std::size_t row = blockIdx.x;
  const Weight* const weights = best.weights + row * best.room;
  const std::size_t k = best.ks == nullptr ? best.room : min(std::size_t{best.ks[row]}, best.room);
  const double p = best.ps == nullptr ? best.p : best.ps[row];
  double before = 0;
  if (threadIdx.x == 0) s_count = p > 0 ? static_cast<unsigned>(k) : 0;
  for (std::size_t tile = 0; tile < k && before < p; tile += kThreads) {
    const std::size_t i = tile + threadIdx.x;
    const double given = i < k ? static_cast<double>(weights[i]) : 0;
    const double mine = given > 0 ? given : 0;  // also of NaNs
    double all = 0;
    const double below = before + block_exclusive_scan<kThreads>(mine, &all, s_sums);
    if (i < k && below < p && below + mine >= p) atomicMin(&s_count, static_cast<unsigned>(i + 1));
    before += all;
  }
  __syncthreads();
  if (threadIdx.x == 0) best.counts[row] = s_count;
}

}  // namespace sortlab::gpu::topk

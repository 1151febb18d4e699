// One step of the bitonic network in global memory, one pair per thread. It is v0's kernel, and v1,
// v2 and v3 use it for distances beyond a block.
#pragma once

#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/thread/bitonic_network.cuh"

namespace sortlab::gpu::bitonic {

template <Scheme kScheme, class Less, class Key, class Value>
__global__ void compare_swap(Items<Key, Value> data, std::size_t n, std::size_t k, std::size_t j) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto pair = pair_of<kScheme>(thread, j);
  if (pair.is_within(n)) {
    exchange<Less>(data, pair.low, pair.high, is_upwards(pair.low, n - 1, k));
  }
}

/// If `wait` asks for it, waits on the host for all launches so far. A graph that is being recorded
/// has nothing to wait for.
template <class Job>
void wait_if_asked(const Job& job) {
  if (job.params["wait"] == 0) return;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(job.stream, &status), "cudaStreamIsCapturing");
  if (status != cudaStreamCaptureStatusNone) return;
  check(cudaStreamSynchronize(job.stream), "cudaStreamSynchronize");
}

/// Launches a step over all of job.data.
template <Scheme kScheme, class Job>
void launch_compare_swap(const Job& job, unsigned threads, std::size_t k, std::size_t j) {
  const std::size_t items_a_block = threads * items_a_thread(kScheme);
  launch("compare_swap",
         compare_swap<kScheme, typename Job::Less, typename Job::Key, typename Job::Value>,
         {ceil_div(job.n, items_a_block), threads}, job.stream, job.data, job.n, k, j);
}

/// The stages larger than a block's `tile` items. Each step that reaches beyond a tile is a launch
/// of compare_swap; the others are one launch of `lower_steps(k)`. Calls after_launch() after each.
template <Scheme kScheme, class Job, class LowerSteps, class AfterLaunch>
void merge_beyond_tiles(const Job& job, unsigned threads, std::size_t tile, LowerSteps lower_steps,
                        AfterLaunch after_launch) {
  for (std::size_t k = 2 * tile; k / 2 < job.n; k *= 2) {
    for (std::size_t j = k / 2; j >= tile; j /= 2) {
      launch_compare_swap<kScheme>(job, threads, k, j);
      after_launch();
    }
    lower_steps(k);
    after_launch();
  }
}

/// The common parameters of v0, v1 and v2.
inline constexpr ParamSpec kThreads{"threads", 1024, 64, 1024, "threads a block, a power of two"};
inline constexpr ParamSpec kScheme{
    "scheme", 0, 0, 2,
    "0: n threads, partner > tid; 1: n/2 threads, shifted index (blocks twice as large); 2: the "
    "same by % and /"};
inline constexpr ParamSpec kWait{"wait", 0, 0, 1,
                                 "1: the host waits for the GPU after each launch"};

/// Calls `f` with the scheme of `params` as a compile-time constant.
template <class F>
void with_scheme(const Params& params, F f) {
  if (params["scheme"] == 0) {
    f.template operator()<Scheme::partner_above>();
  } else if (params["scheme"] == 1) {
    f.template operator()<Scheme::shifted>();
  } else {
    f.template operator()<Scheme::divided>();
  }
}

}  // namespace sortlab::gpu::bitonic

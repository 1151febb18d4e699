// Bitonic sort with fused steps: in one kernel, a block does all steps whose pairs lie within its
// own part of the array, with a barrier of the block between steps; still in global memory.
//
// Over v0: the first stages are one launch rather than 55 (1024 items per block), the lower steps of
// each later stage one launch rather than 10: 190 launches at 2^28 rather than 406, and reads
// between steps find the block's part in L1. Writes are not saved: each step writes through. A
// block holds `threads` items with scheme 0 and twice as many with scheme 1.
// Against the sources: threads beyond n do not return before a barrier (which is undefined), they
// take part in every barrier and only skip their pair; any n, in place, without padding; the lower
// steps begin at the block's own distance (Daskalopoulos' algorithm 5 prints them from `stage`,
// Fraidakis' algorithm 3 half of log2(threads) as the distance); no wait of the host after a launch
// (wait=1 waits, as Daskalopoulos' algorithm 6).
// Gain over v0: 1.73x (2^27 u32 keys, H200; results/h200/ladder.summary.csv).
// Source (docs/papers.md): Daskalopoulos 2025, section 2.4 (kernels v1_first_stages,
// v1_lower_steps); Fraidakis 2025, section 3 (intraBlockSort, intraBlockMerge).
#include "gpu/bitonic/steps.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"

namespace sortlab {
namespace {

using gpu::Scheme;

/// The thread's pair of a step within its block's part, as indices into the whole array.
template <Scheme kScheme>
__device__ gpu::Pair<std::size_t> pair_in_block(unsigned j) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * gpu::items_a_thread(kScheme);
  const auto local = gpu::pair_of<kScheme, unsigned>(threadIdx.x, j);
  return {first + local.low, first + local.high};
}

template <Scheme kScheme, class Less, class Key, class Value>
__device__ void step_in_block(Items<Key, Value> data, std::size_t n, std::size_t k, unsigned j) {
  const auto pair = pair_in_block<kScheme>(j);
  if (pair.is_within(n)) {
    gpu::exchange<Less>(data, pair.low, pair.high, gpu::is_upwards(pair.low, n - 1, k));
  }
  __syncthreads();
}

/// Does all stages up to the block's own size.
template <Scheme kScheme, class Less, class Key, class Value>
__global__ void first_stages(Items<Key, Value> data, std::size_t n, unsigned tile) {
  for (unsigned k = 2; k <= tile; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) step_in_block<kScheme, Less>(data, n, k, j);
  }
}

/// Does those steps of the stage k, which is larger than a block, that stay within blocks.
template <Scheme kScheme, class Less, class Key, class Value>
__global__ void lower_steps(Items<Key, Value> data, std::size_t n, std::size_t k, unsigned tile) {
  for (unsigned j = tile / 2; j > 0; j /= 2) step_in_block<kScheme, Less>(data, n, k, j);
}

struct Fused {
  static constexpr ParamSpec kParams[] = {gpu::bitonic::kThreads, gpu::bitonic::kScheme,
                                          gpu::bitonic::kWait};
  static constexpr Info info{.summary = "bitonic, steps within a block fused, in global memory",
                             .source = "Daskalopoulos 2025, V1; Fraidakis 2025, V1",
                             .after = "gpu/bitonic/v0_step_per_launch",
                             .memory = Memory::device,
                             .in_place = true,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::bitonic::with_scheme(job.params, [&]<Scheme kScheme>() { sort_with<kScheme>(job); });
    return ResultIn::data;
  }

 private:
  template <Scheme kScheme, class Job>
  static void sort_with(const Job& job) {
    using Less = typename Job::Less;
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    const unsigned threads = gpu::power_of_two(job.params, "threads");
    const unsigned tile = threads * gpu::items_a_thread(kScheme);
    const gpu::Grid grid{ceil_div(job.n, tile), threads};

    gpu::launch("first_stages", first_stages<kScheme, Less, Key, Value>, grid, job.stream, job.data,
                job.n, tile);
    gpu::bitonic::wait_if_asked(job);
    gpu::bitonic::merge_beyond_tiles<kScheme>(
        job, threads, tile,
        [&](std::size_t k) {
          gpu::launch("lower_steps", lower_steps<kScheme, Less, Key, Value>, grid, job.stream,
                      job.data, job.n, k, tile);
        },
        [&] { gpu::bitonic::wait_if_asked(job); });
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Fused>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Bitonic sort, the network in textbook form: one launch for every (stage, step), one pair of items
// per thread, everything in global memory.
//
// Over naive: all threads of the GPU compare the pairs of a step, instead of one thread.
// Launches: m (m + 1) / 2 for 2^(m-1) < n <= 2^m, 406 at 2^28, and each reads and writes every key:
// 8 bytes per 32-bit key and step, 378 steps at 2^27, so about 3 KB of traffic per key.
// With scheme 0, n threads start and half of them leave at once; with scheme 1, n/2 threads start.
// Against the sources: any n, in place and without padding (see thread/bitonic_network.cuh), any key type,
// 64-bit indices; and launches follow each other without the host's wait between them, which the
// sources print or say (wait=1 waits). The blog's kernel divides where scheme 1 shifts (scheme=2).
// Gain over naive: 223x (2^14 u32 keys, H200; results/h200/ladder.summary.csv).
// Bytes per u32 key at 2^27: 3024 (8 in each of 378 launches).
// Source (docs/papers.md): Daskalopoulos 2025, sections 2.1 and 2.2 (shifted index); CUDA blog
// (the same); Fraidakis 2025, section 2 (partner > tid).
#include "gpu/bitonic/steps.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"

namespace sortlab {
namespace {

struct StepPerLaunch {
  static constexpr ParamSpec kParams[] = {gpu::bitonic::kThreads, gpu::bitonic::kScheme,
                                          gpu::bitonic::kWait};
  static constexpr Info info{.summary = "bitonic, one launch per (stage, step)",
                             .source = "Daskalopoulos 2025, V0; Fraidakis 2025, V0; CUDA blog",
                             .after = "gpu/bitonic/naive",
                             .memory = Memory::device,
                             .in_place = true,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const unsigned threads = gpu::power_of_two(job.params, "threads");
    gpu::bitonic::with_scheme(job.params, [&]<gpu::Scheme kScheme>() {
      for (std::size_t k = 2; k / 2 < job.n; k *= 2) {
        for (std::size_t j = k / 2; j > 0; j /= 2) {
          gpu::bitonic::launch_compare_swap<kScheme>(job, threads, k, j);
          gpu::bitonic::wait_if_asked(job);
        }
      }
    });
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<StepPerLaunch>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

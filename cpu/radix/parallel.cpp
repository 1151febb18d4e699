// Radix sort, least significant digit first, in base 256, on all threads of OpenMP, with a buffered
// scatter.
//
// Over radix/optimized: all threads, each with histograms of its own, and with AVX2 a scatter through
// one cache line per bucket (lsd_by_chunks.hpp). The expected gain is the number of cores, until memory
// is the limit. A region of OpenMP's threads waits for all of them; radix/team does not.
//
// Passes: one read to count all digits, then for each digit in which keys differ one read to count
// (its chunk has changed since; one thread needs no second count), one read and one write. Stable.
// Limits: with 64-bit keys a line of values is half a cache line, which needs ordinary stores.
//
// Gain over optimized: 2.53x (2^24 u32 keys, 2 threads of an AMD EPYC;
// results/amd2/radix.summary.csv).
// Against the sources: a thread's histograms lie on cache lines of their own, and one read counts the
// digits of all passes; a digit that all keys share takes no pass; AVX2 moves whole lines of the
// buffer, because a scatter of single items has no vector form in AVX2.
// Source: Goralija et al., III.B (Bosnian edition, III.C); for the buffers of a line Satish et al.,
// "Fast Sort on CPUs and GPUs", SIGMOD 2010, section 4.
#include "common/contract/variant.hpp"
#include "cpu/radix/lsd_by_chunks.hpp"

namespace sortlab {
namespace {

struct OpenMpThreads {
  static int at_hand(int threads) { return threads; }

  template <class Step>
  static void on_all_threads(int threads, Step step) {
    if (threads == 1) return step(0);  // without a region, which may lie inside of another one
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; ++t) step(t);
  }
};

struct LsdParallel : cpu::radix::LsdByChunks<OpenMpThreads> {
  static constexpr Info info{
      .summary = "LSD base 256 on all threads of OpenMP, scatter through one cache line per bucket",
      .source = "Goralija et al., III.B; Satish et al. 2010, section 4",
      .after = "cpu/radix/optimized",
      .stable = true,
      .alternate = true,
      .parallel = true,
      .isas = kScalarAndAvx2,
      .params = cpu::radix::kChunkParams};
};
SORTLAB_REGISTER(LsdParallel, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

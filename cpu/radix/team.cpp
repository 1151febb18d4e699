// Radix sort, least significant digit first, in base 256, on the suite's own team of threads.
//
// Over radix/parallel: the threads (common/threads/team.hpp), nothing else. A region of OpenMP ends
// when its last thread has ended, so a thread whose CPU another program holds delays each of the nine
// regions of a sort of 32-bit keys. A region of the team waits for started work only; the threads
// that came do the rest. On an idle machine there is nothing to gain.
//
// Passes and bytes per key: as radix/parallel. Stable.
// Gain over parallel: 2.3x (2^22 u32 keys, 2 threads of an AMD EPYC whose CPUs other programs used too, so
// the figure is noisy; results/amd2/attempts/first_rungs.1.txt).
// Source: our own; the sort as in radix/parallel.
#include "common/contract/variant.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/radix/lsd_by_chunks.hpp"

namespace sortlab {
namespace {

struct TeamThreads {
  static int at_hand(int threads) { return cpu::primitives::parallel::at_hand(threads); }

  template <class Step>
  static void on_all_threads(int threads, Step step) {
    cpu::primitives::parallel::on_all_threads(threads, step);
  }
};

struct LsdTeam : cpu::radix::LsdByChunks<TeamThreads> {
  static constexpr Info info{.summary = "radix/parallel on a team that waits for no absent thread",
                             .source = "our own",
                             .after = "cpu/radix/parallel",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kScalarAndAvx2,
                             .params = cpu::radix::kChunkParams};
};
SORTLAB_REGISTER(LsdTeam, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

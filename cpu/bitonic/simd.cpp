// The bitonic network on vectors, several of its steps per pass.
//
// Over the parallel rung: a pass over the keys takes up to three steps (8 vectors in registers at a
// time; with 32 registers the last four before tiles), or all steps over distances shorter than 16
// vectors. Each thread sorts blocks of cache size alone, recursively. Before that, 16 vectors at a
// time are sorted in registers.
// AVX-512 and AVX2 share the kernels (simd_kernels.hpp, cpu/primitives/simd); any other CPU has
// "vectors" of one key. The network compares the same places for all keys, so all inputs take the
// same time.
//
//   blocks      | sorted in cache | sorted | sorted | sorted |     each by one thread
//   a stage     | <--------- far steps: at most 3 a pass ---------> |   all threads, on pieces
//               | rest, in cache  | rest   | rest   | rest   |     each by one thread
//
// It uses the flip form of the network (see steps.hpp): a stage begins with a comparison of each
// half with the other half's mirror image, and every comparison leaves the smaller key on the left.
// So places past the end count as greatest keys that never move, and any n is sorted in place.
//
// Limits: keys alone, without values; not stable. Any n. No extra memory. Each of 2^24 keys is
// compared 300 times, so a merge sort is always faster.
//
// Gain over parallel: 4.30x (2^24 u32 keys, 16 threads; results/xeon16/cpu.summary.csv).
// Source: Batcher, "Sorting networks and their applications", 1968.
// Experiments: docs/lab/cpu/bitonic/simd.md.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/contract/variant.hpp"
#include "common/utils.hpp"
#include "cpu/bitonic/simd/calls.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/primitives/simd/merge_lanes.hpp"

#define SORTLAB_KERNELS "cpu/bitonic/simd/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::bitonic::simd
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab {
namespace {
using namespace cpu::bitonic::simd;
using cpu::primitives::simd::SignedKeys;
namespace parallel = cpu::primitives::parallel;

constexpr std::size_t kShare = 1 << 12;  // keys of a piece that a thread takes at a time

template <class Key>
class Sorter {
 public:
  Sorter(const Calls<Key>& calls, Key flip, std::size_t most_in_cache, int threads)
      : calls_(calls), flip_(flip), most_in_cache_(most_in_cache), threads_(threads) {}

  void sort(Key* keys, std::size_t n) const {
    if (n < 2) return;
    const std::size_t size = std::max(std::bit_ceil(n), calls_.base_keys);
    const std::size_t share = std::bit_ceil(ceil_div(n, static_cast<std::size_t>(threads_)));
    const std::size_t cached =
        std::max({std::min(most_in_cache_, share), calls_.base_keys, std::size_t{64}});
    if (size <= cached) return calls_.sort_block(keys, n, 0, size, true, flip_);

    const std::size_t blocks = ceil_div(n, cached);
    for_each(blocks,
             [&](std::size_t b) { calls_.sort_block(keys, n, b * cached, cached, false, flip_); });
    for (std::size_t stage = 2 * cached; stage <= size; stage *= 2) {
      far_steps(keys, n, stage, cached);
      for_each(blocks, [&](std::size_t b) {
        calls_.clean_block(keys, n, b * cached, cached, stage == size, flip_);
      });
    }
  }

 private:
  /// The steps of a stage over distances of `cached` keys and more: a flip, then half-cleaners.
  void far_steps(Key* keys, std::size_t n, std::size_t stage, std::size_t cached) const {
    int left = static_cast<int>(std::bit_width(stage / cached)) - 1;
    // As few passes as possible, with about equal numbers of steps.
    int passes = ceil_div(left, calls_.most_steps);
    for (std::size_t block = stage; left > 0; --passes) {
      const int steps = ceil_div(left, passes);
      const std::size_t segment = block >> steps;
      const std::size_t piece = std::min(segment, std::max(kShare, calls_.base_keys));
      const std::size_t a_block = segment / piece;
      for_each(ceil_div(n, block) * a_block, [&](std::size_t p) {
        const std::size_t first = p % a_block * piece;
        calls_.far_pass(keys, n, p / a_block * block, block, steps, block == stage, first,
                        first + piece);
      });
      left -= steps;
      block = segment;
    }
  }

  /// Calls work(i) for i < count. All calls take the same time, so each thread has a fixed share.
  template <class Work>
  void for_each(std::size_t count, Work work) const {
    parallel::for_each_chunk(count, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) work(i);
    });
  }

  Calls<Key> calls_;
  Key flip_;  // see Coding
  std::size_t most_in_cache_;
  int threads_;
};

struct BitonicSimd {
  static constexpr ParamSpec kParams[] = {{.name = "block_kib",
                                           .fallback = 1024,
                                           .min = 1,
                                           .max = 1 << 12,
                                           .help = "KiB of keys in a block sorted in cache"}};
  static constexpr Info info{
      .summary = "bitonic network, several steps per pass",
      .source = "Batcher 1968",
      .after = "cpu/bitonic/parallel",
      .candidate =
          Candidate{.rank = 6, .most_n = 1 << 20, .padded_key_bytes = 8, .most_unpadded = 1024},
      .in_place = true,
      .parallel = true,
      .isas = kEveryIsa,
      .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = SignedKeys<Job>;
    using Int = typename Keys::Int;
    const int threads =
        parallel::at_hand(parallel::threads_for(job.n, parallel::kItemsPerThread, job.threads));
    const std::size_t block =
        std::bit_floor((static_cast<std::size_t>(job.params["block_kib"]) << 10) / sizeof(Int));
    const Sorter<Int> sorter(calls_for<Int, Keys::kFloat>(job.isa), Keys::kFlip, block, threads);
    sorter.sort(Keys::of(job.data.keys), job.n);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(BitonicSimd, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

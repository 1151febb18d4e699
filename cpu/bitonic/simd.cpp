// The bitonic network on vectors, several of its steps a pass.
//
// Over the parallel rung: a pass over the keys takes up to three steps (8 vectors in registers at a
// time; with 32 registers the last four before tiles), or all steps over distances shorter than 16
// vectors; what a thread sorts on its own is a
// block of cache size, recursively; 16 vectors are sorted in registers before any of that. AVX-512
// and AVX2 share the kernels (simd_kernels.hpp, cpu/primitives/simd); any other CPU has "vectors"
// of one key. The network compares the same places whatever the keys are, so all inputs take the
// same time.
//
//   blocks      | sorted in cache | sorted | sorted | sorted |     each by one thread
//   a stage     | <--------- far steps: at most 3 a pass ---------> |   all threads, on pieces
//               | rest, in cache  | rest   | rest   | rest   |     each by one thread
//
// It is the flip form of the network (see steps.hpp): a stage begins with a comparison of each half
// with the other's mirror image, and then every comparison leaves the smaller key on the left. So
// places past the end count as greatest keys that never move, and any n is sorted in place.
//
// Limits: keys alone, without values; not stable. Any n. No extra memory. 2^24 keys are compared
// 300 times each, so this loses to a merge sort by design.
//
// Source: Batcher, "Sorting networks and their applications", 1968. What was tried:
// docs/lab/cpu/bitonic/simd.md.
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/contract/variant.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/parallel/threads_for.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/signed_keys.hpp"

namespace sortlab::bitonic {

/// The kernels of one instruction set, for the keys of one kind.
template <class Key>
struct Calls {
  std::size_t base_keys;  // of the smallest block
  int most_steps;         // of a pass
  void (*sort_block)(Key* keys, std::size_t n, std::size_t block, std::size_t size, bool decode,
                     Key flip);
  void (*clean_block)(Key* keys, std::size_t n, std::size_t block, std::size_t size, bool decode,
                      Key flip);
  void (*far_pass)(Key* keys, std::size_t n, std::size_t block, std::size_t size, int steps,
                   bool flip, std::size_t first, std::size_t last);
};

}  // namespace sortlab::bitonic

#define SORTLAB_KERNELS "cpu/bitonic/simd_kernels.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::bitonic
#include "cpu/primitives/simd/for_each_isa.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kShare = 1 << 12;  // keys of a piece that a thread takes at a time

template <class Key>
class Sorter {
 public:
  Sorter(const bitonic::Calls<Key>& calls, Key flip, std::size_t most_in_cache, int threads)
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
    // As few passes as can be, of about equal numbers of steps.
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

  template <class Work>
  void for_each(std::size_t count, Work work) const {
    if (threads_ == 1) {
      for (std::size_t i = 0; i < count; ++i) work(i);
      return;
    }
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::size_t i = 0; i < count; ++i) work(i);
  }

  bitonic::Calls<Key> calls_;
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
  static constexpr Info info{.summary = "bitonic network, several steps a pass",
                             .source = "Batcher 1968",
                             .after = "cpu/bitonic/parallel",
                             .in_place = true,
                             .parallel = true,
                             .isas = kScalarToAvx512,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = simd::SignedKeys<Job>;
    using Int = typename Keys::Int;
    const int threads =
        cpu::primitives::threads_for(job.n, cpu::primitives::kItemsPerThread, job.threads);
    const std::size_t block =
        std::bit_floor((static_cast<std::size_t>(job.params["block_kib"]) << 10) / sizeof(Int));
    const Sorter<Int> sorter(bitonic::calls_for<Int, Keys::kFloat>(job.isa), Keys::kFlip, block,
                             threads);
    sorter.sort(Keys::of(job.data.keys), job.n);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(BitonicSimd, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

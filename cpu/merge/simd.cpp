// Merge sort on vectors: makes sorted runs of 16 vectors in registers. Networks merge them, two at
// a time in cache, and up to 64 runs at a time in memory.
//
// Over the parallel rung: a merge writes one or two vectors per step, by minimum and maximum,
// without a branch on a key; two or three passes go through memory rather than log2 n; several
// independent merges take turns, because each one mostly waits for its own previous step. AVX-512
// and AVX2 share the kernels (simd/kernels.inl.hpp, cpu/primitives/simd); any other CPU has
// "vectors" of one key. The first read turns keys into signed integers, and the last store turns
// them back, so this takes no extra pass. Ordered input takes one read, reverse order also a
// reversal, and two runs in order are copied.
//
//   data      | block | block | block | block |     each sorted in cache by one thread, level by
//   other     | sorted run | sorted run | ... |     level: registers, 2 runs, 4 runs, ...
//   data      | piece | piece | piece | piece |     each by one thread, of all runs
//               tile | tile | tile                  in cache, level by level again
//
// Binary searches find a piece's part in each run, so threads share a merge of any keys evenly. A
// tile ends when the first run reaches its share of it, so no exact rank is needed. More than 64
// runs are merged in several passes with equal numbers of ways.
//
// Memory traffic: one pass to sort the blocks and one or two to merge them. Each moves 12 bytes per
// 32-bit key (read, read for ownership, write), 24 per 64-bit key.
//
// Limits: keys alone, without values. Equal keys can't be distinguished, so stability has no
// meaning here. The merges do not track places, so values could not simply follow. Any n. Extra
// memory: n keys, and 1.1 MiB per thread.
//
// Gain over parallel: 5.84x (2^27 u32 keys, 16 threads; results/xeon16/cpu.summary.csv).
// Source: Chhugani et al., "Efficient Implementation of Sorting on Multi-Core SIMD CPU
// Architecture", 2008 (bitonic merges in registers, several at a time; many runs in cache); Inoue
// and Taura, "SIMD- and Cache-Friendly Algorithm for Sorting an Array of Structures", 2015 (one
// comparison of keys in memory chooses the next run).
// Experiments: docs/lab/cpu/merge/simd.md.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/contract/variant.hpp"
#include "common/utils.hpp"
#include "cpu/merge/simd/state.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/primitives/simd/merge_lanes.hpp"

#define SORTLAB_KERNELS "cpu/merge/simd/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::merge::simd
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab {
namespace {
using namespace cpu::merge::simd;
using cpu::primitives::simd::SignedKeys, cpu::primitives::simd::in_order_now;
namespace parallel = cpu::primitives::parallel;

constexpr std::size_t kLeastBase = 16;  // keys of the shortest base run, that of the scalar path
constexpr std::size_t kMostBase = 256;  // and of the longest
constexpr std::size_t kAlign = 64;

/// The plan: how n keys are cut into blocks and how the blocks are merged.
struct Plan {
  std::size_t block, tile;  // keys
  int ways, passes;

  static Plan of(std::size_t n, std::size_t key_bytes, int threads, const Params& params) {
    Plan plan;
    const std::size_t most = (static_cast<std::size_t>(params["block_kib"]) << 10) / key_bytes;
    plan.tile = (static_cast<std::size_t>(params["tile_kib"]) << 10) / key_bytes;
    // Blocks of about equal size, the same number for every thread.
    const auto crew = static_cast<std::size_t>(threads);
    const std::size_t rounds = ceil_div(n, most * crew);
    const std::size_t blocks = threads == 1 ? ceil_div(n, most) : rounds * crew;
    plan.block = n == 0 ? kMostBase : round_up(ceil_div(n, blocks), kMostBase);
    const std::size_t count = ceil_div(n, plan.block);
    plan.passes = 0;
    for (std::size_t reach = 1; reach < count; reach *= kMaxWays) ++plan.passes;
    plan.ways = 2;
    const auto reaches = [&](int ways) {
      std::size_t reach = 1;
      for (int p = 0; p < plan.passes; ++p) reach *= static_cast<std::size_t>(ways);
      return reach >= count;
    };
    while (!reaches(plan.ways)) ++plan.ways;
    return plan;
  }
  /// Keys of each of a thread's two buffers.
  std::size_t buffer() const {
    return (passes == 0 ? block : std::max(block, tile + kMaxWays)) + kMostBase;
  }
  std::size_t bytes_of_thread(std::size_t key_bytes) const {
    return 2 * round_up(buffer() * key_bytes, kAlign) +
           round_up((block / kLeastBase + 1) * sizeof(Segment<std::int64_t>), kAlign);
  }
};

/// Sorts signed integers of `Key`'s width; `flip` makes them from the user's keys.
template <class Key>
class Sorter {
 public:
  Sorter(const Calls<Key>& calls, Key flip, const Plan& plan, std::byte* workspace, int threads)
      : calls_(calls), flip_(flip), plan_(plan), workspace_(workspace), threads_(threads) {}

  void sort(Key* keys, Key* other, std::size_t n) const {
    if (in_order_now(calls_.look, keys, n, flip_, threads_)) return;
    // The last pass must end in `keys`.
    Key* from = plan_.passes % 2 == 0 ? keys : other;
    Key* to = plan_.passes % 2 == 0 ? other : keys;
    sort_blocks(keys, from, n);
    std::size_t run = plan_.block;
    for (int pass = 1; pass <= plan_.passes; ++pass) {
      merge_pass(from, to, n, run, pass == plan_.passes);
      run *= static_cast<std::size_t>(plan_.ways);
      std::swap(from, to);
    }
  }

 private:
  void sort_blocks(const Key* keys, Key* to, std::size_t n) const {
    const std::size_t blocks = ceil_div(n, plan_.block);
    const auto sort_one = [&](std::size_t b, int t) {
      const std::size_t first = b * plan_.block;
      calls_.sort_block(keys + first, to + first, std::min(plan_.block, n - first), scratch(t),
                        plan_.passes == 0, flip_);
    };
    parallel::for_each_part(blocks, threads_, sort_one);
  }

  //   from   | run | run | run |   | run | run | run |    `ways` runs a group
  //   to     | piece | piece   |   | piece | piece   |    each by one thread, tile by tile
  void merge_pass(const Key* from, Key* to, std::size_t n, std::size_t run, bool decode) const {
    const std::size_t group = run * static_cast<std::size_t>(plan_.ways);
    const std::size_t groups = ceil_div(n, group);
    const auto wanted = static_cast<std::size_t>(threads_ == 1 ? 1 : 4 * threads_);
    const std::size_t a_group = std::clamp<std::size_t>(
        ceil_div(std::min(group, n), std::max(ceil_div(n, wanted), plan_.tile / 2)), 1, wanted);
    const std::size_t pieces = groups * a_group;
    const auto merge_one = [&](std::size_t p, int t) {
      const std::size_t begin = p / a_group * group;
      const std::size_t size = std::min(group, n - begin);
      const std::size_t piece = ceil_div(size, a_group);
      const std::size_t first = std::min(size, p % a_group * piece);
      const std::size_t last = std::min(size, first + piece);
      if (first == last) return;

      Positions<Key> runs{}, ends{}, low, high;
      int ways = 0;
      for (std::size_t at = begin; at < begin + size; at += run, ++ways) {
        runs.at[ways] = from + at;
        ends.at[ways] = from + std::min(at + run, begin + size);
      }
      cut_at_rank(runs, ends, ways, first, piece / 16, low);
      cut_at_rank(runs, ends, ways, last, piece / 16, high);
      const std::size_t before = keys_between(runs, low, ways);
      calls_.merge_runs(low, high, ways, to + begin + before, plan_.tile, scratch(t), decode,
                        flip_);
    };
    parallel::for_each_part(pieces, threads_, merge_one);
  }

  Scratch<Key> scratch(int t) const {
    std::byte* const mine =
        workspace_ + static_cast<std::size_t>(t) * plan_.bytes_of_thread(sizeof(Key));
    const std::size_t buffer = round_up(plan_.buffer() * sizeof(Key), kAlign);
    return {reinterpret_cast<Key*>(mine), reinterpret_cast<Key*>(mine + buffer),
            reinterpret_cast<Segment<Key>*>(mine + 2 * buffer)};
  }

  Calls<Key> calls_;
  Key flip_;  // see Coding
  Plan plan_;
  std::byte* workspace_;
  int threads_;
};

struct MergeSimd {
  static constexpr ParamSpec kParams[] = {{.name = "block_kib",
                                           .fallback = 512,
                                           .min = 1,
                                           .max = 1 << 12,
                                           .help = "KiB of keys in a block sorted in cache"},
                                          {.name = "tile_kib",
                                           .fallback = 256,
                                           .min = 1,
                                           .max = 1 << 12,
                                           .help = "KiB of keys that are merged in cache"}};
  static constexpr Info info{.summary = "SIMD merge networks, many ways in cache",
                             .source = "Chhugani et al. 2008; Inoue and Taura 2015",
                             .after = "cpu/merge/parallel",
                             .candidate = Candidate{.rank = 5},
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};

  static int useful_threads(std::size_t n, int threads) {
    return parallel::threads_for(n, 2 * parallel::kItemsPerThread, threads);
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes_for = [&](int threads) {
      return static_cast<std::size_t>(threads) *
             Plan::of(request.n, request.key_bytes, threads, request.params)
                 .bytes_of_thread(request.key_bytes);
    };
    std::size_t most = 0;  // if fewer threads come, they have larger blocks
    for (int t = useful_threads(request.n, request.threads); t >= 1; --t) {
      most = std::max(most, bytes_for(t));
    }
    return most;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = SignedKeys<Job>;
    using Int = typename Keys::Int;
    const int threads = parallel::at_hand(useful_threads(job.n, job.threads));
    const Plan plan = Plan::of(job.n, sizeof(Int), threads, job.params);
    const Sorter<Int> sorter(calls_for<Int, Keys::kFloat>(job.isa), Keys::kFlip, plan,
                             job.workspace.data(), threads);
    sorter.sort(Keys::of(job.data.keys), Keys::of(job.alternate.keys), job.n);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MergeSimd, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

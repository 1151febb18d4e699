// MSD radix sort of keys alone in an eighth of their memory: for data that fill the card.
//
//     keys                                  hole: n / 8 keys
//     [ a a | b b | c c | d d | e e | .. ]  [ . ]    split in place by the top digit: page_split
//     [ 0 0 0 | 1 | 2 2 | 3 3 3 3 | .. ]    [ . ]    bins are ranges now; neighbours that fit
//     [ 0 0 0 | 1 | 2 2 | 3 3 3 3 | .. ]    [012]    the hole are a group, which is sorted as
//     [ 0 0 0 | 1 | 2 2 | 3 3 3 3 | .. ]    [ . ]    in msd_hybrid, with the hole as other buffer
//
// Against msd_hybrid: an eighth of the extra memory. The cost is one more pass over the keys, and
// ten groups that are sorted one after the other. A bin that does not fit into the hole is split
// again, after its range is narrowed to that of its keys; a bin of equal keys is done. The sort is
// one cooperative kernel. Its blocks see the same counts and so take the same decisions. So the
// host need not read them, and a graph can record the sort. Keys keep their form until they reach
// the hole, so that a split can end the sort.
//
// Bytes per 32-bit key: count 4, pages 8, pages to their places 8; in the group count 4, scatter 8,
// leaf 8: 40, against msd_hybrid's 32. 64-bit: 80 against 64. A group's first keys are counted
// while the last keys of the previous group are sorted (see sort_bins).
//
// Not chosen: sort chunks through the hole and merge them in place. A block-by-block merge of nine
// runs needs all of this, too (free pages, their last permutation), and also compares each key. Not
// chosen: move a bin's pages by two rounds of swaps (any permutation is the product of two
// reversals on its cycles). Each page would move twice, after a search for its place in its cycle.
//
// Limits: keys alone; the order of equal keys is not kept (and cannot be seen). The workspace is
// n / 8 keys in all, but at least 8 MB; keys that fit these are sorted in one group. Each bin with
// more keys than the hole costs a pass over it, and keys that need many levels take each level in
// each of the ten groups. So uneven keys are its weak spot. Sorted keys are detected at once,
// unless all of them fit into the workspace; reversed or nearly sorted keys gain nothing.
// Gain over msd_hybrid: 0.475x, the price of the saved memory (2^27 u32 keys, H200;
// results/h200/radix.summary.csv).
// Bytes per u32 key at 2^27: 40.
// Source: IPS4o (Axtmann, Witt, Ferizovic, Sanders 2017) for the split in place; Stehle and
// Jacobsen (2017) for the groups. Experiments: docs/lab/gpu/radix/low_memory.md.
#include "common/contract/variant.hpp"
#include "gpu/radix/low_memory/sort.cuh"

namespace sortlab {
namespace {

/// Blocks, tiles and pages for the H200. A warp moves one page in its registers and loads another,
/// so pages are small. A tile of keys of one bin takes its pages one by one, so they are few.
template <class Bits, unsigned kItems, unsigned kPageBytes>
using TuningFor = gpu::radix::low_memory::LowMemoryTuning<
    gpu::radix::low_memory::FillShared<
        gpu::radix::low_memory::Paging<Bits, kPageBytes / sizeof(Bits),
                                       512 * kItems * sizeof(Bits) / kPageBytes>,
        512, kItems, 256>,
    gpu::msd::ScatterShared<Bits, 512, kItems>, gpu::msd::LeafShared<Bits, 512, 12, 13>, 2>;
template <class Bits>
using TuningOf =
    std::conditional_t<sizeof(Bits) == 4, TuningFor<Bits, 24, 2048>, TuningFor<Bits, 16, 1024>>;

/// All memory beside the keys.
constexpr std::size_t budget(std::size_t n, std::size_t key_bytes) {
  constexpr std::size_t kLeast = 8 << 20;
  return std::max(n / 8 * key_bytes, kLeast);
}

struct LowMemorySort {
  static constexpr Info info{.summary = "MSD radix, in place except for n / 8 keys of memory",
                             .source = "Axtmann et al. 2017; Stehle and Jacobsen 2017",
                             .after = "gpu/radix/msd_hybrid",
                             .memory = Memory::device,
                             .stable = false};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Bits>(Bits) {
      return gpu::radix::low_memory::LowMemory<TuningOf<Bits>>(nullptr, request.n,
                                                               budget(request.n, sizeof(Bits)))
          .bytes;
    };
    return request.key_bytes == 4 ? bytes(std::uint32_t{}) : bytes(std::uint64_t{});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Bits = BitsOf<Key>;
    gpu::radix::low_memory::sort_in_little<TuningOf<Bits>>(
        job.stream, reinterpret_cast<Bits*>(job.data.keys), gpu::key_map_of<Key, Job::kOrder>(),
        job.n, job.workspace.data(), budget(job.n, sizeof(Key)));
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(LowMemorySort, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

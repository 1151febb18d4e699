// MSD hybrid radix sort of keys alone: split by the top bits until a bucket fits the shared memory
// of a block, then sort each bucket there.
//
//     data         [ . . . . . . . . . . . . . ]   level 0: count, plan, scatter by the top digit
//     alternate    [  0  |  1  |  2  |    3    ]   level 1: each bucket by its next digit
//     data         [00|01|10|11|20|21|30|31|32 ]   leaves: each sorted by a block, in place
//
// Over LSD: two passes and a leaf rather than four or eight passes, whatever the width of a key:
// 32 bytes a 32-bit key against 36, 64 bytes a 64-bit key against 136. And as keys alone need no
// stability, a rank is one shared atomic and a place one global one, without ballots or look-back.
// Digits are as wide as evenly spread keys need (8 and 7 bits for 2^27 keys), and begin at the
// highest bits in which the keys of a bucket differ. The device plans all of it: buckets of more
// keys than a leaf are split again, in one cooperative kernel, as often as it takes; buckets of one
// value are done; where a bin is one value the counts are the result.
// Limits: keys alone; the order of equal keys is not kept (and cannot be seen).
// Source: Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, SIGMOD 2017.
#include "common/variant.hpp"
#include "gpu/radix/msd_sort.cuh"

namespace sortlab {
namespace {

/// Blocks and tiles for the H200.
template <class Bits>
struct TuningOf;
template <>
struct TuningOf<std::uint32_t> {
  using Type = msd::Tuning<msd::ScatterShared<std::uint32_t, 512, 24>, 2,
                           msd::LeafShared<std::uint32_t, 512, 12, 13>, 3>;
};
template <>
struct TuningOf<std::uint64_t> {
  using Type = msd::Tuning<msd::ScatterShared<std::uint64_t, 512, 16>, 2,
                           msd::LeafShared<std::uint64_t, 512, 12, 13>, 2>;
};

struct MsdHybrid {
  static constexpr Info info{
      .summary = "MSD partition by the top bits, buckets sorted in shared memory",
      .source = "Stehle and Jacobsen, SIGMOD 2017",
      .after = "gpu/radix/ballot_1bit",
      .memory = Memory::device,
      .stable = false,
      .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    gpu::Layout layout;
    if (request.key_bytes == 4) {
      msd::make_plan<TuningOf<std::uint32_t>::Type>(layout, request.n);
    } else {
      msd::make_plan<TuningOf<std::uint64_t>::Type>(layout, request.n);
    }
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Bits = BitsOf<Key>;
    const msd::Buffers<Bits> buffers{reinterpret_cast<Bits*>(job.data.keys),
                                     reinterpret_cast<Bits*>(job.alternate.keys),
                                     gpu::key_map_of<Key, Job::kOrder>()};
    msd::sort_on<typename TuningOf<Bits>::Type>(job.stream, job.workspace.data(), buffers, job.n);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MsdHybrid, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

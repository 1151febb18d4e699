#include "common/variant.hpp"
#include "gpu/radix/low_memory_sort.cuh"

namespace sortlab {
namespace {

/// Blocks and tiles for the H200; pages of 4 KB.
template <class Bits, unsigned kItems>
using TuningFor = msd::LowMemoryTuning<
    msd::FillShared<msd::Paging<Bits, 4096 / sizeof(Bits), 512 * kItems * sizeof(Bits) / 4096>, 512,
                    kItems, 256>,
    msd::ScatterShared<Bits, 512, kItems>, msd::LeafShared<Bits, 512, 12, 13>, 2>;
template <class Bits>
using TuningOf = TuningFor<Bits, sizeof(Bits) == 4 ? 24 : 16>;

struct LowMemorySort {
  static constexpr Info info{.summary = "MSD radix in place but for n / 8 keys of memory",
                             .source = "IPS4o (arXiv 1705.02257); Stehle and Jacobsen, SIGMOD 2017",
                             .after = "gpu/radix/msd_hybrid",
                             .memory = Memory::device,
                             .stable = false};

  static std::size_t budget(std::size_t n, std::size_t key_bytes) {
    constexpr std::size_t kLeast = 8 << 20;
    return std::max(n / 8 * key_bytes, kLeast);
  }

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Bits>(Bits) {
      return msd::LowMemory<TuningOf<Bits>>(nullptr, request.n, budget(request.n, sizeof(Bits)))
          .bytes;
    };
    return request.key_bytes == 4 ? bytes(std::uint32_t{}) : bytes(std::uint64_t{});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Bits = BitsOf<Key>;
    msd::sort_in_little<TuningOf<Bits>>(job.stream, reinterpret_cast<Bits*>(job.data.keys),
                                        gpu::key_map_of<Key, Job::kOrder>(), job.n,
                                        job.workspace.data(), budget(job.n, sizeof(Key)));
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(LowMemorySort, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

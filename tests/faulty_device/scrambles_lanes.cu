// The onesweep on a GPU that serves the lanes of a warp's atomic backwards: its tiles come out of
// order where a warp's row holds a digit twice, and have to be repaired. The result is right.
#include "gpu/radix/onesweep_passes.cuh"

namespace sortlab {
namespace {

struct Backwards : gpu::ByAtomics {
  template <bool kFull, unsigned kItems, class Bits, class IsItem, class Put>
  static __device__ void place(unsigned* places, const Bits (&bits)[kItems], unsigned shift,
                               unsigned /*heavy_bin*/, IsItem is_item, Put put) {
    for (unsigned u = 0; u < kItems; ++u) {
      for (unsigned turn = 0; turn < gpu::kWarp; ++turn) {
        const bool is_mine = gpu::lane_id() == gpu::kWarp - 1 - turn;
        if (is_mine && (kFull || is_item(u))) {
          put(u, atomicAdd(&gpu::entry_of(places, bits[u], shift), 1u));
        }
        __syncwarp();
      }
    }
  }
};

/// Small tiles and portions, so that few keys make many of both.
using Policy = gpu::TilePolicy<Backwards, 256, 3, 2>;
constexpr std::size_t kTilesAPortion = 16;

template <class Key>
gpu::Portions portions_of(std::size_t n) {
  return {n, sizeof(Key), Policy::kTile, kTilesAPortion};
}

struct ScramblesLanes {
  static constexpr Info info{.summary = "onesweep whose warps rank their lanes backwards",
                             .source = "made for the tests",
                             .memory = Memory::device,
                             .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return request.key_bytes == 4
               ? gpu::OnesweepSpace<4>(nullptr, portions_of<std::uint32_t>(request.n)).bytes
               : gpu::OnesweepSpace<8>(nullptr, portions_of<std::uint64_t>(request.n)).bytes;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    if (job.n == 0) return ResultIn::data;
    gpu::sort_in_sweeps<Policy>(gpu::as_bits(job.data), gpu::as_bits(job.alternate),
                                gpu::key_map_of<Key, Job::kOrder>(), job.n, job.workspace.data(),
                                portions_of<Key>(job.n), job.stream);
    return ResultIn::data;
  }
};
using KeysOfBothWidths = TypeList<std::uint32_t, double>;
SORTLAB_REGISTER(ScramblesLanes, KeysOfBothWidths, KeysOnly);

}  // namespace
}  // namespace sortlab

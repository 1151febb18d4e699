// The onesweep on a GPU that serves the lanes of a warp's atomic backwards: its tiles come out of
// order where a warp's row holds a digit twice, and have to be repaired. The result is right.
#include "common/contract/variant.hpp"
#include "gpu/primitives/grid/sweep/passes.cuh"

namespace sortlab {
namespace {

struct Backwards : gpu::sweep::ByAtomics {
  template <bool kFull, unsigned kItems, class Bits, class IsItem, class Put>
  static __device__ void place(unsigned* places, const Bits (&bits)[kItems], unsigned shift,
                               unsigned /*heavy_bin*/, IsItem is_item, Put put) {
    for (unsigned u = 0; u < kItems; ++u) {
      for (unsigned turn = 0; turn < gpu::kWarp; ++turn) {
        const bool is_mine = gpu::lane_id() == gpu::kWarp - 1 - turn;
        if (is_mine && (kFull || is_item(u))) {
          put(u, atomicAdd(&gpu::sweep::entry_of(places, bits[u], shift), 1u));
        }
        __syncwarp();
      }
    }
  }
};

/// Small tiles and portions, so that few keys make many of both.
using Policy = gpu::sweep::TilePolicy<Backwards, 256, 3, 2>;
constexpr std::size_t kTilesAPortion = 16;

gpu::sweep::Portions portions_of(std::size_t n, std::size_t item_bytes) {
  return {n, item_bytes, Policy::kTile, kTilesAPortion};
}

struct ScramblesLanes {
  static constexpr Info info{.summary = "onesweep whose warps rank their lanes backwards",
                             .source = "made for the tests",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto portions = portions_of(request.n, request.key_bytes + request.value_bytes);
    return request.key_bytes == 4 ? gpu::sweep::OnesweepSpace<4>(nullptr, portions).bytes
                                  : gpu::sweep::OnesweepSpace<8>(nullptr, portions).bytes;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    if (job.n == 0) return ResultIn::data;
    const auto portions = portions_of(job.n, sizeof(Key) + kValueBytes<Value>);
    const gpu::sweep::OnesweepSpace<gpu::sweep::kPasses<Key>> space(job.workspace.data(), portions);
    gpu::sweep::sort_in_sweeps<Policy>(gpu::sweep::arrays_of(job), job.n, space, portions,
                                       job.stream);
    return ResultIn::data;
  }
};
using KeysOfBothWidths = TypeList<std::uint32_t, double>;
SORTLAB_REGISTER(ScramblesLanes, KeysOfBothWidths, KeysAndPairs);

}  // namespace
}  // namespace sortlab

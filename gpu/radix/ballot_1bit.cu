// LSD radix sort by one bit per pass: count the zeros of each block, scan the counts, scatter.
//
// Over naive: all threads of the GPU count and scatter, and ballots find the places of a warp.
// A pass is a stable split: zeros keep their order and go first, then the ones.
//
//     keys    1 0 1 | 0 0 1 | 1 0      zeros before block b:  0 1 3 ; all zeros Z = 4
//     key i with bit 0  ->  z(i)             z(i): the zeros before i, from the scan, the warps
//     key i with bit 1  ->  Z + (i - z(i))         below in the block, and the warp's ballot
//
// 32 passes for 32-bit keys, 64 for 64-bit ones, each of two reads and a write: 12 bytes per 32-bit
// key, 384 over all passes; an 8-bit onesweep takes 36. The result is back in `data`.
// Against the sources: several items per thread, so that the scan has few counts (a block's 256 x
// 16 keys rather than 512). Places beyond n are not counted (in theirs they count as zeros, unless
// n is a multiple of 512). The place of a one follows from the key's own index, so there is no
// off_o array. An order-preserving map to unsigned bits serves signed keys and floats. Offsets have
// 64 bits.
// Gain over naive: 12.0x (2^14 u32 keys, H200; results/h200/ladder.summary.csv).
// Bytes per u32 key: 384 (12 in each of 32 passes).
// Source: Goralija et al., section III.C.4 and algorithm 4; Bosnian edition, section III.D
// (docs/papers.md).
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab {
namespace {

using gpu::kAllLanes;
using gpu::kWarp;
using Count = unsigned long long;

template <Order kOrder, class Key>
__device__ bool has_zero_at(Key key, unsigned bit) {
  return ((to_radix_bits<Key, kOrder>(key) >> bit) & 1) == 0;
}

/// Writes how many keys of each block's tile have a zero at `bit`.
template <Order kOrder, unsigned kItems, class Key>
__global__ void __launch_bounds__(1024)
    count_zeros(const Key* keys, std::size_t n, unsigned bit, Count* zeros) {
  __shared__ unsigned s_warp_zeros[kWarp];
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * kItems + threadIdx.x;
  unsigned mine = 0;
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const std::size_t i = first + u * blockDim.x;
    mine += i < n && has_zero_at<kOrder>(keys[i], bit);
  }
  mine = gpu::warp_sum(mine);
  if (gpu::lane_id() == 0) s_warp_zeros[gpu::warp_id()] = mine;
  __syncthreads();
  if (gpu::warp_id() == 0) {
    const unsigned warps = blockDim.x / kWarp;
    const unsigned sum = gpu::warp_sum(gpu::lane_id() < warps ? s_warp_zeros[gpu::lane_id()] : 0);
    if (threadIdx.x == 0) zeros[blockIdx.x] = sum;
  }
}

constexpr unsigned kScanThreads = 1024;
constexpr unsigned kScanItems = 8;

/// Turns counts[0, blocks) into the sums of those before, with the sum of all in counts[blocks].
/// One block: there are only n / 4096 counts, and they come from L2.
__global__ void __launch_bounds__(kScanThreads) scan_counts(Count* counts, std::size_t blocks) {
  __shared__ Count s_warp_sums[kWarp];
  Count sum_before = 0;
  for (std::size_t base = 0; base < blocks; base += kScanThreads * kScanItems) {
    const std::size_t first = base + threadIdx.x * kScanItems;
    Count count[kScanItems];
    Count sum = 0;
#pragma unroll
    for (unsigned u = 0; u < kScanItems; ++u) {
      count[u] = first + u < blocks ? counts[first + u] : 0;
      sum += count[u];
    }
    const Count up_to_here = gpu::warp_inclusive_scan(sum);
    if (gpu::lane_id() == kWarp - 1) s_warp_sums[gpu::warp_id()] = up_to_here;
    __syncthreads();
    if (gpu::warp_id() == 0) {
      s_warp_sums[gpu::lane_id()] = gpu::warp_inclusive_scan(s_warp_sums[gpu::lane_id()]);
    }
    __syncthreads();
    Count before = sum_before + up_to_here - sum;
    if (gpu::warp_id() > 0) before += s_warp_sums[gpu::warp_id() - 1];
    sum_before += s_warp_sums[kWarp - 1];
#pragma unroll
    for (unsigned u = 0; u < kScanItems; ++u) {
      if (first + u < blocks) counts[first + u] = before;
      before += count[u];
    }
    __syncthreads();  // before the warps' sums are written again
  }
  if (threadIdx.x == 0) counts[blocks] = sum_before;
}

/// The zeros in the block's warps below this one. Each warp passes its own number.
__device__ unsigned zeros_in_warps_below(unsigned zeros_of_warp) {
  __shared__ unsigned s_warp_zeros[kWarp];
  if (gpu::lane_id() == 0) s_warp_zeros[gpu::warp_id()] = zeros_of_warp;
  __syncthreads();
  const unsigned below = gpu::lane_id() < gpu::warp_id() ? s_warp_zeros[gpu::lane_id()] : 0;
  return __shfl_sync(kAllLanes, gpu::warp_sum(below), 0);
}

/// Moves each item to its place. A warp holds 32 x kItems neighbours, 32 at a time.
template <Order kOrder, unsigned kItems, class Key, class Value>
__global__ void __launch_bounds__(1024)
    scatter(Items<Key, Value> from, Items<Key, Value> to, std::size_t n, unsigned bit,
            const Count* zeros_before_block) {
  const std::size_t first =
      (std::size_t{blockIdx.x} * blockDim.x + gpu::warp_id() * kWarp) * kItems;
  Item<Key, Value> item[kItems];
  unsigned zeros[kItems];  // a bit for each lane whose key has a zero
  unsigned zeros_of_warp = 0;
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const std::size_t i = first + u * kWarp + gpu::lane_id();
    if (i < n) item[u] = from[i];
  }
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const std::size_t i = first + u * kWarp + gpu::lane_id();
    zeros[u] = __ballot_sync(kAllLanes, i < n && has_zero_at<kOrder>(item[u].key, bit));
    zeros_of_warp += __popc(zeros[u]);
  }

  const Count all_zeros = zeros_before_block[gridDim.x];
  Count zeros_before = zeros_before_block[blockIdx.x] + zeros_in_warps_below(zeros_of_warp);
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const std::size_t i = first + u * kWarp + gpu::lane_id();
    const bool is_zero = (zeros[u] >> gpu::lane_id()) & 1;
    const Count z = zeros_before + __popc(gpu::lanes_below(zeros[u]));
    if (i < n) to.put(is_zero ? z : all_zeros + (i - z), item[u]);
    zeros_before += __popc(zeros[u]);
  }
}

struct Ballot1Bit {
  static constexpr ParamSpec kParams[] = {
      {"threads", 256, 64, 1024, "threads a block, a multiple of 32"},
      {"items", 16, 4, 16, "keys a thread: 4, 8 or 16"}};
  static constexpr Info info{.summary = "LSD radix, one bit per pass, ranks by ballot and popc",
                             .source = "Goralija et al., III.C.4: algorithm 4",
                             .after = "gpu/radix/naive",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true,
                             .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    gpu::Layout layout;
    layout.take<Count>(blocks_of(request.n, request.params) + 1);
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    switch (job.params["items"]) {
      case 4:
        return sort_with<4>(job);
      case 8:
        return sort_with<8>(job);
      case 16:
        return sort_with<16>(job);
      default:
        throw BadInput("items must be 4, 8 or 16");
    }
  }

 private:
  static std::size_t blocks_of(std::size_t n, const Params& params) {
    return ceil_div(n, static_cast<std::size_t>(params["threads"] * params["items"]));
  }

  template <unsigned kItems, class Job>
  static ResultIn sort_with(const Job& job) {
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    constexpr unsigned kBits = 8 * sizeof(Key);
    static_assert(kBits % 2 == 0, "an even number of passes ends in data");
    if (job.n == 0) return ResultIn::data;

    const unsigned threads = gpu::whole_warps(job.params, "threads");
    const gpu::Grid grid{blocks_of(job.n, job.params), threads};
    gpu::Layout layout(job.workspace.data());
    Count* const d_zeros = layout.take<Count>(grid.blocks + 1);
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const auto& from = bit % 2 == 0 ? job.data : job.alternate;
      const auto& to = bit % 2 == 0 ? job.alternate : job.data;
      gpu::launch("count_zeros", count_zeros<Job::kOrder, kItems, Key>, grid, job.stream, from.keys,
                  job.n, bit, d_zeros);
      gpu::launch("scan_counts", scan_counts, {1, kScanThreads}, job.stream, d_zeros, grid.blocks);
      gpu::launch("scatter", scatter<Job::kOrder, kItems, Key, Value>, grid, job.stream, from, to,
                  job.n, bit, d_zeros);
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Ballot1Bit>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

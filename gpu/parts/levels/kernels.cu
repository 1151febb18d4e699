// The kernels and launches of gpu/parts/levels.cuh, in a unit for each width of keys (cmake/variants.cmake).
#include <algorithm>

#include "common/cuda_check.hpp"
#include "gpu/parts/levels.cuh"
#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/primitives/grid/msd/enter.cuh"
#include "gpu/primitives/grid/msd/leaf_sort.cuh"
#include "gpu/primitives/grid/msd/plan_level.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"
#include "gpu/primitives/launch/early.cuh"

namespace sortlab::gpu::parts {

using namespace msd;

// 9 bits and 9 bits split 1174 million keys of 32 bits, and 1409 million of 64.
template <class Bits>
using Scatter = std::conditional_t<sizeof(Bits) == 4, ScatterShared<Bits, 1024, 24, kTopBins, 91>,
                                   ScatterShared<Bits, 1024, 16, kTopBins>>;
template <class Bits>
constexpr unsigned kLevelTile = Scatter<Bits>::kThreads* Scatter<Bits>::kItems;

constexpr std::size_t kEnterBlocks = 8;
constexpr unsigned kEnterThreads = 256;

template <class Bits>
__global__ void __launch_bounds__(kEnterThreads) enter_top(Plan plan, unsigned digit_bits) {
  enter_all(plan, digit_bits, 8 * sizeof(Bits), blockIdx.x * kEnterThreads + threadIdx.x,
            gridDim.x * kEnterThreads);
}

/// Enters bins: each warp one of them.
static __global__ void __launch_bounds__(kEnterThreads)
    enter_bins(Plan plan, const ArrivedBin* bins, unsigned count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *plan.left = {0, 0};
  const unsigned bin = (blockIdx.x * kEnterThreads + threadIdx.x) / kWarp;
  if (bin >= count) return;
  const ArrivedBin it = bins[bin];
  enter_bin(plan, it.begin, it.end, it.low, it.range_bits);
}

/// A block's copy of a table.
template <class Bits>
__device__ __forceinline__ void load_table(const BinTable<Bits>* table, BinTable<Bits>& s_table) {
  static_assert(sizeof(BinTable<Bits>) % sizeof(unsigned) == 0);
  for (unsigned i = threadIdx.x; i < sizeof(BinTable<Bits>) / sizeof(unsigned); i += blockDim.x) {
    reinterpret_cast<unsigned*>(&s_table)[i] = reinterpret_cast<const unsigned*>(table)[i];
  }
  __syncthreads();
}
template <class Bits>
__global__ void __launch_bounds__(kCountThreads, kCountBlocksAnSm)
    count_by_table(Plan plan, Buffers<Bits> buffers, const BinTable<Bits>* table) {
  __shared__ CountShared<kTopBins> s;
  __shared__ BinTable<Bits> s_table;
  load_table(table, s_table);
  await_previous_kernel();
  count_level<kCountThreads>(
      plan, 0, buffers, [&](const Bucket&) { return BinSearch<Bits>(s_table); }, s);
}
template <class Shared, class Bits>
__global__ void __launch_bounds__(Shared::kThreads, 1)
    scatter_by_table(Plan plan, Buffers<Bits> buffers, const BinTable<Bits>* table,
                     KeyMap<Bits> back) {
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  auto& s_table = *reinterpret_cast<BinTable<Bits>*>(dynamic_shared() + sizeof(Shared));
  await_previous_kernel();
  load_table(table, s_table);
  scatter_level(
      plan, 0, buffers, [&](const Bucket&) { return BinSearch<Bits>(s_table); }, s, back);
}

/// Launches the kernels that count a level's digits, and those that scatter by them.
template <class Bits>
void launch_count_digits(const Plan& plan, unsigned level, const Buffers<Bits>& buffers,
                         cudaStream_t stream) {
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("count_digits", count_digits<kTopBins, Bits, KeyMap<Bits>>,
               {std::min(level_blocks(plan), kCountBlocksAnSm * sms), kCountThreads}, stream, plan,
               level, buffers);
}
template <class Bits>
void launch_scatter(const Plan& plan, unsigned level, const Buffers<Bits>& buffers,
                    cudaStream_t stream) {
  using Shared = Scatter<Bits>;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("scatter_keys", scatter_keys<Shared, 1, Bits, KeyMap<Bits>>,
               {std::min(level_blocks(plan), sms), Shared::kThreads, sizeof(Shared)}, stream, plan,
               level, buffers);
}

template <class Bits>
TopLevel<Bits>::TopLevel(Layout& layout, std::size_t n)
    // With leaves as large as all keys, there is room for one bucket.
    : plan_(layout, n, kLevelTile<Bits>, static_cast<unsigned>(std::clamp<std::size_t>(n, 1, ~0u)),
            kTopBits, 8 * sizeof(Bits)),
      d_table_(layout.take<BinTable<Bits>>(1)) {}

template <class Bits>
void TopLevel<Bits>::use(const BinTable<Bits>& table, KeyMap<Bits> back, cudaStream_t stream) {
  check(cudaMemcpyAsync(d_table_, &table, sizeof(table), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  digit_bits_ = std::max(1u, bit_width(table.bins - 1));
  has_table_ = true;
  back_ = back;
}

template <class Bits>
void TopLevel<Bits>::count(const Buffers<Bits>& buffers, cudaStream_t stream) const {
  launch("enter_top", enter_top<Bits>, {kEnterBlocks, kEnterThreads}, stream, plan_, digit_bits_);
  if (!has_table_) return launch_count_digits(plan_, 0, buffers, stream);
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("count_by_table", count_by_table<Bits>,
               {std::min(level_blocks(plan_), kCountBlocksAnSm * sms), kCountThreads}, stream,
               plan_, buffers, d_table_);
}

template <class Bits>
TileSlots TopLevel<Bits>::tile_slots() {
  return {kLevelTile<Bits>, Scatter<Bits>::kSlotKeys};
}

template <class Bits>
void TopLevel<Bits>::scatter(const Buffers<Bits>& buffers, std::span<const Count> places,
                             std::span<const SlotsOfBin> slots, cudaStream_t stream) const {
  const auto copy = [&](auto* to, const auto& from) {
    check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
  };
  copy(counts(), places);
  if (!has_table_) return launch_scatter(plan_, 0, buffers, stream);
  if (!slots.empty()) copy(d_table_->slots, slots);
  using Shared = Scatter<Bits>;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("scatter_by_table", scatter_by_table<Shared, Bits>,
               {std::min(level_blocks(plan_), sms), Shared::kThreads,
                sizeof(Shared) + sizeof(BinTable<Bits>)},
               stream, plan_, buffers, d_table_, back_);
}

template <class Bits>
BinsSort<Bits>::BinsSort(Layout& layout, std::size_t most)
    : plan_(layout, most, kLevelTile<Bits>, LeafBlockOf<Bits>::kMaxKeys, kTopBits,
            8 * sizeof(Bits)) {}

template <class Bits>
void BinsSort<Bits>::split(const Buffers<Bits>& buffers, cudaStream_t stream) {
  using Shared = SplitShared<kPlanThreads, kTopBins>;
  launch_count_digits(plan_, level_, buffers, stream);
  launch_early("plan_buckets", plan_buckets<Shared>,
               {2 * device_attribute(cudaDevAttrMultiProcessorCount), kPlanThreads, sizeof(Shared)},
               stream, plan_, level_);
  launch_scatter(plan_, level_, buffers, stream);
  ++level_;
}

template <class Bits>
void BinsSort<Bits>::sort_leaves(const Buffers<Bits>& buffers, cudaStream_t stream) const {
  // These plans leave nothing to sweeps (enter_bins), so the kernel never looks at them.
  launch_leaves<LeafBlockOf<Bits>>(plan_, buffers, sweep::Sweeps<Bits, NoValue>(0, nullptr), {},
                                   stream);
}

template <class Bits>
void BinsSort<Bits>::sort(const Buffers<Bits>& buffers, const ArrivedBin* d_bins, unsigned count,
                          std::size_t largest, cudaStream_t stream) {
  if (count == 0) return;
  clear(plan_.counters, plan_.state_bytes, stream);
  launch("enter_bins", enter_bins,
         {ceil_div(std::size_t{count} * kWarp, std::size_t{kEnterThreads}), kEnterThreads}, stream,
         plan_, d_bins, count);
  level_ = 1;
  const unsigned bits = bit_width(largest / full_leaf(plan_.max_leaf));
  const unsigned levels = largest <= plan_.max_leaf ? 0 : (bits + kTopBits - 1) / kTopBits;
  while (level_ <= levels) split(buffers, stream);
  sort_leaves(buffers, stream);
}

template <class Bits>
void BinsSort<Bits>::sort_rest(const Buffers<Bits>& buffers, cudaStream_t stream) {
  const auto has_rest = [&] {
    unsigned buckets = 0;
    check(cudaMemcpyAsync(&buckets, &plan_.counters[level_].buckets, sizeof(buckets),
                          cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return buckets > 0;
  };
  if (level_ == 0 || !has_rest()) return;
  clear(plan_.leaf_count, sizeof(*plan_.leaf_count), stream);
  do {
    split(buffers, stream);
  } while (has_rest());
  sort_leaves(buffers, stream);
}

template class TopLevel<SORTLAB_UNIT_KEY>;
template class BinsSort<SORTLAB_UNIT_KEY>;

}  // namespace sortlab::gpu::parts

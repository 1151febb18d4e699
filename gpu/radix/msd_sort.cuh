// The MSD radix sort from start to end: which kernels, in which order, with what shared memory.
#pragma once

#include "gpu/radix/msd_kernels.cuh"

namespace sortlab::msd {

/// The widths of the blocks and tiles of one key width.
template <class ScatterT, unsigned kScatterBlocks, class LeafT, unsigned kLeafBlocks>
struct Tuning {
  using Scatter = ScatterT;
  using Leaf = LeafT;
  static constexpr unsigned kScatterBlocksAnSm = kScatterBlocks;
  static constexpr unsigned kLeafBlocksAnSm = kLeafBlocks;
  static constexpr unsigned kTile = Scatter::kThreads * Scatter::kItems;
};

template <class Tuning>
Plan make_plan(gpu::Layout& layout, std::size_t n) {
  constexpr unsigned kDigitBits = std::bit_width(Tuning::Scatter::kBins) - 1;
  return Plan(layout, n, Tuning::kTile, Tuning::Leaf::kMaxKeys, kDigitBits);
}

/// The most blocks that are of use for the tiles of a level.
inline std::size_t level_blocks(const Plan& plan) {
  return gpu::ceil_div(plan.n, plan.tile) + plan.n / plan.max_leaf / 8 + 1;
}

/// Levels that evenly spread keys need.
inline unsigned even_levels(const Plan& plan) {
  if (plan.n <= plan.max_leaf) return 0;
  const unsigned bits = bit_width(plan.n / full_leaf(plan.max_leaf));
  return (bits + plan.max_digit_bits - 1) / plan.max_digit_bits;
}

/// Launches remaining_levels with as many blocks as are resident.
template <class Tuning, class Bits>
void launch_remaining(Plan plan, unsigned level, Buffers<Bits> buffers, std::size_t sms,
                      cudaStream_t stream) {
  using Scatter = typename Tuning::Scatter;
  constexpr unsigned kBlocksAnSm = Tuning::kScatterBlocksAnSm;
  auto* const kernel = &remaining_levels<Scatter, kBlocksAnSm, Bits>;
  constexpr std::size_t kShared =
      std::max({sizeof(Scatter), sizeof(CountShared), sizeof(SplitShared<Scatter::kThreads>)});
  gpu::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, int{kShared}),
             "cudaFuncSetAttribute");
  void* arguments[] = {&plan, &level, &buffers};
  gpu::check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(kBlocksAnSm * sms)),
                                         dim3(Scatter::kThreads), arguments, kShared, stream),
             "cudaLaunchCooperativeKernel");
}

template <class Tuning, class Bits>
void sort_on(cudaStream_t stream, std::byte* workspace, const Buffers<Bits>& buffers,
             std::size_t n) {
  if (n == 0) return;
  using Scatter = typename Tuning::Scatter;
  using Leaf = typename Tuning::Leaf;
  gpu::Layout layout(workspace);
  const Plan plan = make_plan<Tuning>(layout, n);
  const std::size_t sms = gpu::device_attribute(cudaDevAttrMultiProcessorCount);
  gpu::check(cudaMemsetAsync(plan.counters, 0, plan.state_bytes, stream), "cudaMemsetAsync");
  gpu::launch("start_plan", start_plan<Bits>, {1, 1024}, stream, plan);

  const unsigned levels = even_levels(plan);
  for (unsigned level = 0; level < levels; ++level) {
    gpu::launch("count_digits", count_digits<Bits>,
                {std::min(level_blocks(plan), 3 * sms), kCountThreads}, stream, plan, level,
                buffers);
    gpu::launch("plan_buckets", plan_buckets<kPlanThreads>,
                {level == 0 ? 1 : 2 * sms, kPlanThreads}, stream, plan, level);
    gpu::launch("scatter_keys", scatter_keys<Scatter, Tuning::kScatterBlocksAnSm, Bits>,
                {level_blocks(plan), Scatter::kThreads, sizeof(Scatter)}, stream, plan, level,
                buffers);
  }
  if (levels > 0) launch_remaining<Tuning>(plan, levels, buffers, sms, stream);
  gpu::launch("sort_small", sort_small<Leaf, Tuning::kLeafBlocksAnSm, Bits>,
              {gpu::ceil_div(n, plan.max_leaf / 2), Leaf::kThreads, sizeof(Leaf)}, stream, plan,
              buffers);
}

}  // namespace sortlab::msd

// The whole radix sort with little memory: one cooperative kernel, whose blocks all take the same
// decisions from the same counts.
#pragma once

#include <algorithm>

#include <cooperative_groups.h>

#include "gpu/primitives/grid/msd/leaves.cuh"
#include "gpu/primitives/grid/msd/plan_level.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/radix/low_memory/fill.cuh"
#include "gpu/radix/low_memory/order.cuh"

namespace sortlab::gpu::radix::low_memory {

template <class FillT, class ScatterT, class LeafT, unsigned kBlocks>
struct LowMemoryTuning {
  using Fill = FillT;
  using Scatter = ScatterT;
  using Leaf = LeafT;
  using Paging = typename Fill::Paging;
  using Bits = typename Fill::Bits;
  static constexpr unsigned kThreads = Fill::kThreads;
  static constexpr unsigned kBlocksAnSm = kBlocks;
  static_assert(Scatter::kThreads == kThreads && Leaf::kThreads == kThreads);

  static constexpr std::size_t kSharedBytes =
      std::max({sizeof(Fill), sizeof(Scatter), sizeof(Leaf), sizeof(CountShared<>),
                sizeof(SplitShared<kThreads>), sizeof(Count) * kThreads / kWarp});
};

/// The memory of the kernel. The memory beside the array has two uses in turn. During a split it is
/// the hole and its tables; during the sort of a group of bins it is the other buffer and the plan.
template <class Tuning>
struct LowMemory {
  using Bits = typename Tuning::Bits;
  using Paging = typename Tuning::Paging;
  static constexpr unsigned kBins = Tuning::Fill::kBins;

  std::size_t n;
  std::size_t capacity;  // keys of a group
  Bits* group;           // the other buffer of a group
  Plan plan[2];          // of this group and of the next
  Paging paging;
  std::size_t bytes;

  /// Takes at most `bytes`, or more if the minimum needs it.
  LowMemory(std::byte* base, std::size_t n, std::size_t budget)
      : n(n), plan{plan_of(0), plan_of(0)} {
    Layout state(base);
    paging.state = state.take<SplitState>(1);
    const std::size_t begin = state.bytes();
    std::byte* const rest = base == nullptr ? nullptr : base + begin;

    capacity = std::min(n, (budget - begin) / sizeof(Bits));
    while (begin + group_bytes(capacity) > budget) {
      capacity -= (begin + group_bytes(capacity) - budget) / sizeof(Bits) / 2 + 1;
    }
    Layout group_space(rest);
    group = group_space.take<Bits>(capacity + kVector<Bits>);
    for (Plan& each : plan) each = plan_in(group_space, capacity);

    Layout split_space(rest);
    const std::size_t pages = n / Paging::kKeys + 2;
    paging.loose = split_space.take<Bits>(std::size_t{kBins} * 2 * Paging::kKeys);
    paging.overhang = split_space.take<Bits>(Paging::kKeys);
    paging.table = split_space.take<unsigned>(pages);
    paging.page_bin = split_space.take<std::uint8_t>(pages);
    paging.is_read = split_space.take<unsigned>(pages / Paging::kTilePages + 4);
    const std::size_t hole_bytes =
        budget > begin + split_space.bytes() ? budget - begin - split_space.bytes() : 0;
    const std::size_t fit = hole_bytes / (Paging::kKeys * sizeof(Bits));
    paging.hole_pages = static_cast<unsigned>(std::min(fit, pages));
    paging.hole = split_space.take<Bits>(std::size_t{paging.hole_pages} * Paging::kKeys);
    bytes = begin + std::max(group_space.bytes(), capacity < n ? split_space.bytes() : 0);
  }

 private:
  static Plan plan_in(Layout& layout, std::size_t n) {
    constexpr unsigned kDigitBits = std::bit_width(Tuning::Scatter::kBins) - 1;
    return Plan(layout, n, Tuning::Scatter::kThreads * Tuning::Scatter::kItems,
                Tuning::Leaf::kMaxKeys, kDigitBits, 8 * sizeof(Bits));
  }
  static Plan plan_of(std::size_t n) {
    Layout layout;
    return plan_in(layout, n);
  }
  static std::size_t group_bytes(std::size_t keys) {
    Layout layout;
    layout.take<Bits>(keys + kVector<Bits>);
    for (int i = 0; i < 2; ++i) plan_in(layout, keys);
    return layout.bytes();
  }
};

/// Neighbouring bins [first, end) that are sorted together.
struct Group {
  unsigned first;
  unsigned end;
};

/// A block's own copy of the remaining work; it is the same in all blocks.
template <unsigned kBins>
struct Agenda {
  static constexpr unsigned kMost = 16;  // fewer ranges than this do not fit into the hole
  Stretch large[kMost];
  unsigned count;
  Count begin[kBins + 1];  // of the bins of the last split range
  Group group;
};

/// The phases of the kernel. Each is a separate function and loads its data into registers again,
/// because one function with all phases would run out of registers.
template <class Tuning>
struct Phases {
  using Bits = typename Tuning::Bits;
  using Paging = typename Tuning::Paging;
  static constexpr unsigned kThreads = Tuning::kThreads;

  template <class T>
  static __device__ T& shared() {
    return *reinterpret_cast<T*>(dynamic_shared());
  }

  static __device__ __noinline__ void count(const LowMemory<Tuning>& memory, Stretch stretch,
                                            unsigned digit_bits) {
    const Paging p = memory.paging;
    count_stretch<kThreads>(p, stretch, digit_bits, shared<CountShared<>>());
  }
  static __device__ __noinline__ void fill(const LowMemory<Tuning>& memory, Stretch stretch,
                                           unsigned digit_bits) {
    const Paging p = memory.paging;
    fill_pages(p, stretch, PageSpan(p, stretch), digit_bits, shared<typename Tuning::Fill>());
  }
  static __device__ __noinline__ void order(const LowMemory<Tuning>& memory, Stretch stretch,
                                            unsigned bins) {
    const Paging p = memory.paging;
    order_pages(p, PageSpan(p, stretch), bins);
  }
  static __device__ __noinline__ void mend(const LowMemory<Tuning>& memory, Stretch stretch,
                                           unsigned bins) {
    const Paging p = memory.paging;
    cut_overhang(p, PageSpan(p, stretch), bins);
    cooperative_groups::this_grid().sync();
    fill_gaps(p, bins);
  }

  static __device__ __noinline__ void count_group(const LowMemory<Tuning>& memory, const Plan& plan,
                                                  unsigned level, std::size_t begin) {
    count_level<kThreads>(plan, level, buffers_of(memory, begin), digit_of<Bits>,
                          shared<CountShared<>>());
  }
  static __device__ __noinline__ void plan_group(const Plan& plan, unsigned level) {
    plan_level(plan, level, blockIdx.x, gridDim.x, shared<SplitShared<kThreads>>());
  }
  static __device__ __noinline__ void scatter_group(const LowMemory<Tuning>& memory,
                                                    const Plan& plan, unsigned level,
                                                    std::size_t begin) {
    scatter_level(plan, level, buffers_of(memory, begin), digit_of<Bits>,
                  shared<typename Tuning::Scatter>());
  }
  static __device__ __noinline__ void sort_group(const LowMemory<Tuning>& memory, const Plan& plan,
                                                 std::size_t begin) {
    sort_leaves(plan, buffers_of(memory, begin), shared<typename Tuning::Leaf>());
  }

 private:
  /// The other buffer as if it were as long as the array; only the places of a group that begins at
  /// `begin` are used.
  static __device__ Buffers<Bits> buffers_of(const LowMemory<Tuning>& memory, std::size_t begin) {
    return {memory.paging.data, memory.group + begin % kVector<Bits> - begin, memory.paging.key_map,
            memory.paging.data};
  }
};

/// The steps of the kernel, in order.
template <class Tuning>
struct LowMemorySort {
  using Run = Phases<Tuning>;
  using Bits = typename Tuning::Bits;
  using Paging = typename Tuning::Paging;
  using Fill = typename Tuning::Fill;
  static constexpr unsigned kThreads = Tuning::kThreads;
  static constexpr unsigned kBins = Fill::kBins;
  static constexpr unsigned kMaxSplitBits = std::bit_width(kBins) - 1;

  const LowMemory<Tuning>& memory;
  Agenda<kBins>& s_agenda;

  static __device__ void meet() { cooperative_groups::this_grid().sync(); }

  /// Counts a range, and again with finer digits if its keys turn out to be in a smaller range.
  /// Returns whether its keys are out of order.
  __device__ bool count(Stretch& stretch) const {
    constexpr unsigned kWastedBits = 3;
    const Paging& p = memory.paging;
    const PageSpan span(p, stretch);
    for (;;) {
      clear_split(p, span);
      meet();
      Run::count(memory, stretch, digit_bits_of(stretch, kMaxSplitBits));
      meet();
      const Count min = __ldcg(&p.state->min);
      const unsigned range_bits = bit_width(__ldcg(&p.state->max) - min);
      if (range_bits == 0 || __ldcg(&p.state->is_unordered) == 0) return false;
      if (range_bits + kWastedBits > stretch.range_bits) return true;
      meet();  // all have read it before it is cleared
      stretch.low = min;
      stretch.range_bits = range_bits;
    }
  }

  /// Moves the keys of a counted range to its bins.
  __device__ void split(const Stretch& stretch, unsigned digit_bits) const {
    const Paging& p = memory.paging;
    const PageSpan span(p, stretch);
    const unsigned bins = 1u << digit_bits;
    if (blockIdx.x == 0) {
      place_bins<kThreads>(p, stretch, span, bins, &Run::template shared<Count>());
    }
    meet();
    Run::fill(memory, stretch, digit_bits);
    meet();
    Run::order(memory, stretch, bins);
    meet();
    Run::mend(memory, stretch, bins);
    for (unsigned b = threadIdx.x; b <= bins; b += kThreads) {
      s_agenda.begin[b] = __ldcg(&p.state->begin[b]);
    }
    meet();
  }

  /// Splits the buckets of the plan on `level` and deeper levels until all keys are in leaves.
  __device__ void make_leaves(const Plan& plan, unsigned level, std::size_t begin) const {
    for (; level < kMaxLevels && __ldcg(&plan.counters[level].buckets) > 0; ++level) {
      Run::count_group(memory, plan, level, begin);
      meet();
      Run::plan_group(plan, level);
      meet();
      Run::scatter_group(memory, plan, level, begin);
      meet();
    }
  }

  static __device__ void clear_plan(const Plan& plan) {
    for (unsigned i = threadIdx.x; i <= kMaxLevels; i += kThreads) plan.counters[i] = {0, 0, 0};
    if (threadIdx.x == 0) {
      *plan.leaf_count = 0;
      *plan.left = {};
    }
    __threadfence();
    __syncthreads();
  }

  /// The next bins from `bin` on that fit into the other buffer together. Bins that do not fit
  /// alone are put on the agenda.
  __device__ Group next_group(const Stretch& stretch, unsigned digit_bits, unsigned bin) const {
    const unsigned bins = 1u << digit_bits;
    const unsigned shift = stretch.range_bits - digit_bits;
    __syncthreads();  // all have read the previous group
    if (threadIdx.x == 0) {
      const Count* const begin = s_agenda.begin;
      for (; bin < bins && begin[bin + 1] - begin[bin] - 1 >= memory.capacity; ++bin) {
        if (begin[bin + 1] > begin[bin]) {
          s_agenda.large[s_agenda.count++] = {begin[bin], begin[bin + 1],
                                              stretch.low + (Count{bin} << shift), shift};
        }
      }
      unsigned end = bin;
      while (end < bins && begin[end + 1] - begin[bin] <= memory.capacity) ++end;
      s_agenda.group = {bin, end};
    }
    __syncthreads();
    return s_agenda.group;
  }

  /// A block enters the bins in the plan, as children of a bucket that was split on level 0.
  __device__ void enter_group(const Plan& plan, const Stretch& stretch, unsigned digit_bits,
                              Group group) const {
    auto& s = Run::template shared<SplitShared<kThreads>>();
    const Count* const begin = s_agenda.begin + group.first;
    const unsigned bins = group.end - group.first;
    clear_plan(plan);
    Bucket parent{};
    parent.begin = begin[0];
    parent.end = begin[bins];
    parent.range_bits = stretch.range_bits - digit_bits;
    parent.low = stretch.low + (Count{group.first} << parent.range_bits);
    for (unsigned b = threadIdx.x; b <= bins; b += kThreads) s.start[b] = begin[b] - begin[0];
    __syncthreads();
    plan_children(plan, 0, parent, bins, {.side = 0, .are_raw = 1}, s);
  }

  /// Sorts the bins of the range group by group. While this group's buckets are planned, the next
  /// group is entered in its plan; while this group's last leaves are sorted, the next group is
  /// counted.
  __device__ void sort_bins(const Stretch& stretch, unsigned digit_bits) const {
    Group group = next_group(stretch, digit_bits, 0);
    if (group.first == group.end) return;
    if (blockIdx.x == 0) enter_group(memory.plan[0], stretch, digit_bits, group);
    meet();
    Run::count_group(memory, memory.plan[0], 1, s_agenda.begin[group.first]);
    for (unsigned number = 0; group.first < group.end; ++number) {
      const Plan& plan = memory.plan[number % 2];
      const Plan& next_plan = memory.plan[(number + 1) % 2];
      const Group next = next_group(stretch, digit_bits, group.end);
      const std::size_t begin = s_agenda.begin[group.first];
      const bool has_next = next.first < next.end;
      meet();
      Run::plan_group(plan, 1);
      if (has_next && blockIdx.x == gridDim.x - 1) {  // which has the fewest buckets to plan
        enter_group(next_plan, stretch, digit_bits, next);
      }
      meet();
      Run::scatter_group(memory, plan, 1, begin);
      meet();
      make_leaves(plan, 2, begin);
      Run::sort_group(memory, plan, begin);
      if (has_next) Run::count_group(memory, next_plan, 1, s_agenda.begin[next.first]);
      group = next;
    }
    meet();
  }

  __device__ void sort_all() const {
    if (memory.n <= memory.capacity) {
      const Plan& plan = memory.plan[0];
      if (blockIdx.x == 0) {
        clear_plan(plan);
        __shared__ NewBucket s_all;
        plan_all(plan, memory.n, 8 * sizeof(Bits), s_all);
      }
      meet();
      make_leaves(plan, 0, 0);
      Run::sort_group(memory, plan, 0);
      return;
    }
    if (threadIdx.x == 0) {
      s_agenda.large[0] = {0, memory.n, 0, 8 * sizeof(Bits)};
      s_agenda.count = 1;
    }
    __syncthreads();
    while (s_agenda.count > 0) {
      Stretch stretch = s_agenda.large[s_agenda.count - 1];
      __syncthreads();
      if (threadIdx.x == 0) --s_agenda.count;
      __syncthreads();
      if (count(stretch)) {
        const unsigned digit_bits = digit_bits_of(stretch, kMaxSplitBits);
        split(stretch, digit_bits);
        if (stretch.range_bits > digit_bits) sort_bins(stretch, digit_bits);
        __syncthreads();
      }
      meet();  // all have read the counts before they are cleared
    }
  }
};

template <class Tuning>
__global__ void __launch_bounds__(Tuning::kThreads, Tuning::kBlocksAnSm)
    sort_in_little_memory(__grid_constant__ const LowMemory<Tuning> memory) {
  __shared__ Agenda<Tuning::Fill::kBins> s_agenda;
  LowMemorySort<Tuning>{memory, s_agenda}.sort_all();
}

template <class Tuning>
void sort_in_little(cudaStream_t stream, typename Tuning::Bits* data,
                    KeyMap<typename Tuning::Bits> key_map, std::size_t n, std::byte* workspace,
                    std::size_t budget) {
  using Bits = typename Tuning::Bits;
  if (n == 0) return;
  LowMemory<Tuning> memory(workspace, n, budget);
  memory.paging.data = data;
  memory.paging.origin = (16 - reinterpret_cast<std::uintptr_t>(data) % 16) % 16 / sizeof(Bits);
  memory.paging.key_map = key_map;
  const std::size_t blocks = Tuning::kBlocksAnSm * device_attribute(cudaDevAttrMultiProcessorCount);
  auto* const kernel = &sort_in_little_memory<Tuning>;
  check(
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                           cudaFuncAttributeMaxDynamicSharedMemorySize, int{Tuning::kSharedBytes}),
      "cudaFuncSetAttribute");
  void* arguments[] = {&memory};
  check(
      cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                  dim3(Tuning::kThreads), arguments, Tuning::kSharedBytes, stream),
      "cudaLaunchCooperativeKernel");
}

}  // namespace sortlab::gpu::radix::low_memory

// The sorts of sweeps.hpp: gpu/radix/onesweep's kernels with other tiles.
#pragma once

#include "gpu/primitives/grid/sweep/passes.cuh"
#include "library/cuda/rungs.hpp"

namespace sortlab::cuda::detail {

/// Tiles::Policy<Bits, Value> is the policy of a tile.
template <class Tiles, class Bits, class Value>
struct SweepSort {
  using Policy = typename Tiles::template Policy<Bits, Value>;
  gpu::sweep::Portions portions;
  gpu::sweep::OnesweepSpace<gpu::sweep::kPasses<Bits>> space;

  SweepSort(std::byte* d_workspace, std::size_t n)
      : portions(n, sizeof(Bits) + kValueBytes<Value>, Policy::kTile),
        space(d_workspace, portions) {
    static_assert(gpu::sweep::TileSpace<Policy, Bits, Value>::kBytes <= Tiles::kBlockBytes);
    static_assert(gpu::sweep::BinCounters<Bits, Policy::kMostCounterBytes>::kBytes <=
                  Tiles::kBlockBytes);
  }
  void operator()(const gpu::radix::Call& call) const {
    gpu::sweep::sort_in_sweeps<Policy>(call.as<gpu::sweep::Arrays, Bits, Value>(), call.n, space,
                                       portions, call.stream);
  }
};

/// Calls use(key, value) with values of the types that have these widths.
template <bool kOnlyWideValues, class Use>
auto with_widths(Widths widths, Use use) {
  const auto with_value = [&]<class Value>(Value value) {
    return widths.key_bytes == 4 ? use(std::uint32_t{}, value) : use(std::uint64_t{}, value);
  };
  if constexpr (!kOnlyWideValues) {
    if (widths.value_bytes == 0) return with_value(NoValue{});
    if (widths.value_bytes == 4) return with_value(std::uint32_t{});
  }
  return with_value(std::uint64_t{});
}

/// The bytes of such a sort's workspace, and the sort.
template <class Tiles, bool kOnlyWideValues = false>
std::size_t sweep_bytes(Widths widths, std::size_t n) {
  return with_widths<kOnlyWideValues>(widths, [n]<class Bits, class Value>(Bits, Value) {
    return SweepSort<Tiles, Bits, Value>(nullptr, n).space.bytes;
  });
}
template <class Tiles, bool kOnlyWideValues = false>
void sort_by_sweeps(const gpu::radix::Call& call) {
  with_widths<kOnlyWideValues>(Widths::of(call), [&]<class Bits, class Value>(Bits, Value) {
    SweepSort<Tiles, Bits, Value>(call.d_workspace, call.n)(call);
  });
}

}  // namespace sortlab::cuda::detail

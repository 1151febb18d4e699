// The sorts of sweeps.hpp: gpu/radix/onesweep's kernels with other tiles.
#pragma once

#include <stdexcept>

#include "gpu/primitives/grid/sweep/passes.cuh"
#include "library/cuda/key_map.hpp"
#include "library/cuda/sweeps.hpp"

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
  void operator()(const RungJob& job) const {
    const auto items = [](const void* keys, const void* values) {
      return Items<Bits, Value>{static_cast<Bits*>(const_cast<void*>(keys)),
                                static_cast<Value*>(const_cast<void*>(values))};
    };
    gpu::sweep::sort_in_sweeps<Policy>(
        gpu::sweep::Arrays<Bits, Value>{
            items(job.keys.in, job.are_numbered ? nullptr : job.values.in),
            items(job.keys.data(), job.values.data()),
            items(job.keys.second(), job.values.second()),
            key_map<Bits>(job.type, job.order, job.nans_last)},
        job.n, space, portions, job.stream);
  }
};

/// Calls use(key, value) with values of the types that have these widths.
template <bool kOnlyWideValues, class Use>
auto with_widths(Widths widths, Use use) {
  const auto with_key = [&]<class Bits>(Bits key) {
    if constexpr (!kOnlyWideValues) {
      if (widths.value_bytes == 0) return use(key, NoValue{});
      if (widths.value_bytes == 4) return use(key, std::uint32_t{});
    }
    return use(key, std::uint64_t{});
  };
  return widths.key_bytes == 4 ? with_key(std::uint32_t{}) : with_key(std::uint64_t{});
}

}  // namespace sortlab::cuda::detail

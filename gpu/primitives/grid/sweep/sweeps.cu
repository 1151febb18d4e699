// The functions of sweeps.cuh: a unit for each width of keys and values (cmake/variants.cmake).
#include "gpu/primitives/grid/sweep/sweeps.cuh"

#include "gpu/primitives/grid/sweep/all_passes.cuh"
#include "gpu/primitives/grid/sweep/passes.cuh"

namespace sortlab::gpu::sweep {

/// Does all needed passes, if upper ones have turned out not to be enough.
template <class Tile, class Bits, class Value>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_again(UpperPasses* upper, __grid_constant__ const Sweep<Bits, Value> first,
                unsigned long long* d_places) {
  await_previous_kernel();
  if (!upper->are_due) return;
  // Each block plans them for itself. What is for later kernels, all write alike.
  __shared__ PassPlan s_passes[kPasses<Bits>];
  if (threadIdx.x == 0) {
    for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) s_passes[pass] = first.plan->passes[pass];
    first.plan->ends_in = set_passes(s_passes, upper->needed, upper->sweeps);
    upper->low_bits = 0;
  }
  __syncthreads();
  sweep_all_passes<Tile>(first, s_passes, d_places);
}

// The functions, with the tiles for n items.

/// Calls use(tile) with the tile for upper passes over n items: a large one, but of few wide pairs.
template <class Bits, class Value, class Use>
auto with_upper_tile(std::size_t n, Use use) {
  if constexpr (sizeof(Bits) == 8 && Items<Bits, Value>::kPairs) {
    return with_tile<Bits, Value>(n, use);
  } else {
    return use(LargeTile<Bits, Value>{});
  }
}
template <class Bits, class Value, class Use>
auto with_tile_of(std::size_t n, bool are_upper, Use use) {
  return are_upper ? with_upper_tile<Bits, Value>(n, use) : with_tile<Bits, Value>(n, use);
}

template <class Bits, class Value>
Sweeps<Bits, Value>::Sweeps(std::size_t n, std::byte* d_workspace, bool are_upper)
    : n(n),
      are_upper(are_upper),
      portions(with_tile_of<Bits, Value>(
          n, are_upper,
          [&]<class Tile>(Tile) {
            // The counters of the tiles of other keys (common_key.cuh) have room then.
            static_assert(Tile::kTile <= LargeTile<Bits, Value>::kTile);
            return Portions(n, sizeof(Bits) + kValueBytes<Value>, Tile::kTile);
          })),
      space(d_workspace, portions, 2) {}

template <class Bits, class Value>
void Sweeps<Bits, Value>::sort(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const {
  with_tile_of<Bits, Value>(n, are_upper, [&]<class Tile>(Tile) {
    sort_in_sweeps<Tile>(arrays, n, space, portions, stream);
  });
}

template <class Bits, class Value>
void Sweeps<Bits, Value>::sweep(const Arrays<Bits, Value>& arrays, cudaStream_t stream,
                                const unsigned* d_at_once) const {
  with_tile_of<Bits, Value>(n, are_upper, [&]<class Tile>(Tile) {
    launch_passes<Tile>(arrays, n, space, portions, stream, d_at_once != nullptr, d_at_once);
  });
}

template <class Bits, class Value>
void Sweeps<Bits, Value>::sweep_again(const Arrays<Bits, Value>& arrays, UpperPasses* d_upper,
                                      cudaStream_t stream) const {
  with_upper_tile<Bits, Value>(n, [&]<class Tile>(Tile) {
    // As many blocks as fit on the GPU at a time.
    const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
    launch_early("sweep_again", sweep::sweep_again<Tile, Bits, Value>,
                 {std::min<std::size_t>(portions.tiles, Tile::kBlocks * sms), Tile::kThreads,
                  TileSpace<Tile, Bits, Value>::kBytes},
                 stream, d_upper, first_sweep(arrays, *this), space.d_places);
  });
}

template struct Sweeps<SORTLAB_UNIT_KEY, SORTLAB_UNIT_VALUE>;

}  // namespace sortlab::gpu::sweep

// The function that makes the map of spread floats, and that sorts leaves of their numbers (msd/leaf_sort.cuh), in a unit
// for each width of keys (cmake/variants.cmake).
#include "gpu/primitives/grid/spread/weigh.cuh"

#include <algorithm>

#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/primitives/grid/msd/leaves.cuh"
#include "gpu/primitives/grid/spread/look.cuh"
#include "gpu/primitives/launch/early.cuh"

namespace sortlab::gpu::spread {

/// Makes the table, unless a look has left the keys to the sweeps. The last block looks whether the map will do.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    weigh_keys(const Bits* keys, KeyMap<Bits> key_map, std::size_t n, float least_evenness,
               Weighing<Bits>* to, unsigned* wont_do) {
  static_assert(kThreads == Look::kThreads);
  std::byte* const s_bytes = dynamic_shared();
  auto& s = *reinterpret_cast<WeighShared<Bits>*>(s_bytes);
  await_previous_kernel();
  if (*wont_do) return;
  weigh_sample(keys, key_map, n, *to, s);
  if (!is_last_block(&to->blocks_done)) return;
  const bool is_made = make_table(*to, key_map, least_evenness, s);
  __syncthreads();
  const SpreadMap<Bits> map{key_map, &to->table};
  const bool is_left = !is_made || reinterpret_cast<Look*>(s_bytes)->are_uneven(keys, map, n);
  if (is_left && threadIdx.x == 0) *wont_do = 1;
}

template <class Bits>
void launch_weigh(const Bits* keys, KeyMap<Bits> key_map, std::size_t n, float least_evenness,
                  Weighing<Bits>* d_to, unsigned* d_wont_do, cudaStream_t stream) {
  launch_early("weigh_keys", weigh_keys<Bits>,
               {blocks_for(n), kThreads, std::max(sizeof(WeighShared<Bits>), sizeof(Look))}, stream,
               keys, key_map, n, least_evenness, d_to, d_wont_do);
}

template void launch_weigh(const SORTLAB_UNIT_KEY*, KeyMap<SORTLAB_UNIT_KEY>, std::size_t, float,
                           Weighing<SORTLAB_UNIT_KEY>*, unsigned*, cudaStream_t);

}  // namespace sortlab::gpu::spread

namespace sortlab::gpu::msd {

template void launch_leaves<LeafBlockOf<SORTLAB_UNIT_KEY>>(
    const Plan&, const Buffers<SORTLAB_UNIT_KEY, SpreadMap<SORTLAB_UNIT_KEY>>&,
    const sweep::Sweeps<SORTLAB_UNIT_KEY, NoValue>&,
    const sweep::Arrays<SORTLAB_UNIT_KEY, NoValue>&, cudaStream_t);

}  // namespace sortlab::gpu::msd

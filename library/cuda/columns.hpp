// Kernels that bring keys and values into the form that the radix sorts take, and back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "common/contract/key_types.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::cuda::detail {

/// How keys become unsigned integers that are ordered alike, and back. For what a KeyMap alone can't do.
template <class Bits>
struct KeyForm {
  gpu::KeyMap<Bits> map;
  Bits rotation = 0;        // added to the ordered bits: brings NaNs behind the numbers
  Bits sign_of_narrow = 0;  // of signed keys of 1 or 2 bytes: what to extend
  Bits zero_sign = 0;       // the sign bit where -0 and +0 are the same; then there is no way back
  Bits infinity = 0;  // the bits of +inf where all NaNs are the same; then there is no way back

  SORTLAB_HD Bits ordered(Bits key) const {
    key = (key ^ sign_of_narrow) - sign_of_narrow;
    if (zero_sign != 0 && key == zero_sign) key = 0;
    if (infinity != 0 && static_cast<Bits>(key << 1) > static_cast<Bits>(infinity << 1))
      key = infinity + 1;
    return map.ordered(key) + rotation;
  }
  SORTLAB_HD Bits key(Bits ordered) const { return map.key(ordered - rotation); }
};

/// Writes the ordered bits of n keys of `key_bytes`, which are at most as wide as Bits. d_index, if not null,
/// becomes 0, 1, 2, ... of `index_bytes`.
template <class Bits>
void load_keys(const void* d_keys, unsigned key_bytes, Bits* d_ordered, void* d_index,
               unsigned index_bytes, std::size_t n, const KeyForm<Bits>& form, cudaStream_t stream);
/// The inverse.
template <class Bits>
void store_keys(const Bits* d_ordered, void* d_keys, unsigned key_bytes, std::size_t n,
                const KeyForm<Bits>& form, cudaStream_t stream);

/// d_index[i] = i.
void number_items(void* d_index, unsigned index_bytes, std::size_t n, cudaStream_t stream);
/// Unsigned integers of other widths: each of the two is 1, 2, 4 or 8.
void convert(const void* d_in, unsigned in_bytes, void* d_out, unsigned out_bytes, std::size_t n,
             cudaStream_t stream);
/// d_out[i] = d_in[d_index[i]], items of `item_bytes`.
void gather_items(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                  unsigned index_bytes, std::size_t n, cudaStream_t stream);

}  // namespace sortlab::cuda::detail

// Rotates sorted items so that the NaNs in front come last. Total order has NaNs with the sign bit in
// front and the others last; in descending order the others are in front.
//
// Against a sort that maps the keys to integers in NumPy's order and back: two passes over the keys
// less. For keys without NaNs in front, which is the common case, the kernels here look at one number
// and return.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "library/python/cuda/nans_last.hpp"

namespace sortlab::python {
namespace {

using Count = unsigned long long;
constexpr std::size_t kCountBytes = 256;  // in front of the spare items, which stay aligned

template <class Bits>
__global__ void count_nans_in_front(const Bits* d_keys, std::size_t n, bool descending,
                                    Count* d_count) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr Bits kInfinity =
      sizeof(Bits) == 4 ? static_cast<Bits>(0x7f800000u) : static_cast<Bits>(0x7ff0000000000000u);
  const auto is_in_front = [&](std::size_t i) {
    const Bits key = d_keys[i];
    return (key & ~kSign) > kInfinity && ((key & kSign) != 0) != descending;
  };
  std::size_t first = 0, last = is_in_front(0) ? n : 0;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (is_in_front(middle)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  *d_count = first;
}

/// d_to[i] is the item of d_from that is *d_count places (0 for `as_it_is`) behind, in a circle. Does
/// nothing for a count of 0.
template <class Item>
__global__ void rotate(const Item* d_from, Item* d_to, std::size_t n, const Count* d_count,
                       bool as_it_is) {
  const std::size_t count = *d_count;
  if (count == 0) return;
  const std::size_t shift = as_it_is ? 0 : count;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    d_to[i] = d_from[i + shift < n ? i + shift : i + shift - n];
  }
}

template <class Use>
void with_bits(unsigned bytes, Use use) {
  if (bytes == 8) {
    use(std::uint64_t{});
  } else {
    use(std::uint32_t{});
  }
}

void rotate_array(void* d_items, unsigned item_bytes, std::size_t n, std::byte* d_spare,
                  cudaStream_t stream) {
  constexpr unsigned kThreads = 256, kMostBlocks = 1024;
  const auto blocks =
      static_cast<unsigned>(std::min<std::size_t>(kMostBlocks, (n + kThreads - 1) / kThreads));
  const auto* const d_count = reinterpret_cast<const Count*>(d_spare);
  with_bits(item_bytes, [&](auto type) {
    using Item = decltype(type);
    auto* const d_all = static_cast<Item*>(d_items);
    auto* const d_rotated = reinterpret_cast<Item*>(d_spare + kCountBytes);
    rotate<<<blocks, kThreads, 0, stream>>>(d_all, d_rotated, n, d_count, false);
    rotate<<<blocks, kThreads, 0, stream>>>(d_rotated, d_all, n, d_count, true);
  });
}

}  // namespace

std::size_t nans_last_bytes(const SortedItems& items) {
  return kCountBytes + items.n * std::max(items.key_bytes, items.value_bytes);
}

cudaError_t put_nans_last(const SortedItems& items, void* d_spare, cudaStream_t stream) {
  auto* const spare = static_cast<std::byte*>(d_spare);
  with_bits(items.key_bytes, [&](auto type) {
    using Bits = decltype(type);
    count_nans_in_front<<<1, 1, 0, stream>>>(static_cast<const Bits*>(items.d_keys), items.n,
                                             items.descending, reinterpret_cast<Count*>(spare));
  });
  rotate_array(items.d_keys, items.key_bytes, items.n, spare, stream);
  if (items.value_bytes != 0) {
    rotate_array(items.d_values, items.value_bytes, items.n, spare, stream);
  }
  return cudaGetLastError();
}

}  // namespace sortlab::python

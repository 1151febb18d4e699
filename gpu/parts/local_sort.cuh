// The sort of what lies on one GPU: gpu/auto, stable, with a workspace for any number of items up to a limit.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "common/contract/parts.hpp"
#include "gpu/auto/auto_sort.cuh"

namespace sortlab::gpu::parts {

/// The bytes for sorts of up to `most` items on the current device. Which sort is chosen depends on their
/// number, so this asks for each power of two below `most`, and adds a quarter for the numbers between them.
template <class Bits, class Value>
std::size_t local_sort_bytes(std::size_t most) {
  using Less = KeyLess<Bits, Order::ascending>;
  std::size_t bytes = auto_sort_bytes<Less, Bits, Value>(most);
  for (std::size_t n = 1; n < most; n *= 2) {
    bytes = std::max(bytes, auto_sort_bytes<Less, Bits, Value>(n));
  }
  return bytes + bytes / 4;
}

/// Copies n items within a GPU.
template <class Key, class Value>
void copy_items(Items<Key, Value> to, Items<Key, Value> from, std::size_t n, cudaStream_t stream) {
  const auto copy = [&](auto* to_array, const auto* from_array) {
    check(cudaMemcpyAsync(to_array, from_array, n * sizeof(*to_array), cudaMemcpyDeviceToDevice,
                          stream),
          "cudaMemcpyAsync");
  };
  copy(to.keys, from.keys);
  if constexpr (Items<Key, Value>::kPairs) copy(to.values, from.values);
}

/// Sorts n items, which are in `data` again at the end.
template <class Less, class Key, class Value>
void sort_in_place(Items<Key, Value> data, Items<Key, Value> alternate, std::size_t n,
                   std::span<std::byte> workspace, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t needed = auto_sort_bytes<Less, Key, Value>(n);
  if (needed > workspace.size()) {
    throw std::runtime_error("a sort of " + std::to_string(n) + " items needs " +
                             std::to_string(needed) + " bytes of workspace, there are " +
                             std::to_string(workspace.size()));
  }
  if (auto_sort<Less>(data, alternate, n, workspace.data(), stream) == ResultIn::data) return;
  copy_items(data, alternate, n, stream);
}

/// Sorts a part that exchanges nothing with others, in all of its workspace.
template <class Less, class Part>
PartResult sort_lone_part(const Part& part) {
  sort_in_place<Less>(part.data, part.alternate, part.n, part.workspace, part.stream);
  return {ResultIn::data, part.n};
}

}  // namespace sortlab::gpu::parts

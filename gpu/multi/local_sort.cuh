// The sort of what lies on one GPU: gpu/auto, stable, with a workspace for any number of items up to a limit.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/auto/auto_sort.cuh"

namespace sortlab::gpu::multi {

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
  const auto copy = [&](auto* to, const auto* from) {
    check(cudaMemcpyAsync(to, from, n * sizeof(*to), cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
  };
  copy(data.keys, alternate.keys);
  if constexpr (Items<Key, Value>::kPairs) copy(data.values, alternate.values);
}

/// Sorts a single part, which exchanges nothing with others, in all of its workspace.
template <class Job>
std::vector<PartResult> sort_one_part(const Job& job) {
  const auto& part = job.parts.front();
  const OnDevice here(part.device);
  sort_in_place<typename Job::Less>(part.data, part.alternate, part.n, part.workspace, part.stream);
  return {{ResultIn::data, part.n}};
}

}  // namespace sortlab::gpu::multi

// The sort of what lies on one GPU: gpu/auto, stable, with a workspace for any number of items up to a limit.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

#include "common/contract/parts.hpp"
#include "gpu/auto/chosen.hpp"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/stretch_map.hpp"
#include "gpu/radix/sorts.hpp"

namespace sortlab::gpu::parts {

template <class Bits, class Value>
std::size_t chosen_bytes(std::size_t n) {
  const Params none;
  return Chosen<true>::workspace_bytes({n, sizeof(Bits), kValueBytes<Value>, 0, none});
}

/// The bytes for sorts of up to `most` items on the current device.
template <class Bits, class Value>
std::size_t local_sort_bytes(std::size_t most) {
  return bytes_up_to(most, chosen_bytes<Bits, Value>);
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
template <class Bits, class Value>
void sort_in_place(KeyKind kind, Items<Bits, Value> data, Items<Bits, Value> alternate,
                   std::size_t n, std::span<std::byte> workspace, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t needed = chosen_bytes<Bits, Value>(n);
  if (needed > workspace.size()) {
    throw std::runtime_error("a sort of " + std::to_string(n) + " items needs " +
                             std::to_string(needed) + " bytes of workspace, there are " +
                             std::to_string(workspace.size()));
  }
  const ResultIn in = Chosen<true>::sort(kind, data, alternate, n, workspace.first(needed), stream);
  if (in == ResultIn::data) return;
  copy_items(data, alternate, n, stream);
}

/// Whether pairs are so many that a sort over their top digits gains.
/// measured: from there on gpu/auto takes it; results/h200/radix.summary.csv
template <class Bits>
constexpr bool is_worth_stretching(std::size_t n) {
  return n >= std::size_t{1} << (sizeof(Bits) == 4 ? 23 : 19);
}
template <class Bits, class Value>
std::size_t stretched_sort_bytes(std::size_t most) {
  if constexpr (!Items<Bits, Value>::kPairs) return 0;
  return bytes_up_to(most, [](std::size_t n) {
    return radix::top_sweep::workspace_bytes(sizeof(Bits), kValueBytes<Value>, n);
  });
}
/// Sorts n stretched pairs, which are in `data` again at the end, with their keys as they were.
template <class Bits, class Value>
void sort_stretched(KeyKind kind, Stretch<Bits> stretch, Items<Bits, Value> data,
                    Items<Bits, Value> alternate, std::size_t n, std::span<std::byte> workspace,
                    cudaStream_t stream) {
  const radix::Stretched stretched{kind, stretch.base, stretch.factor};
  const radix::ErasedItems items{data.keys, data.values};
  radix::top_sweep::sort({.keys = {key_type_of<Bits>(), Order::ascending},
                          .value_bytes = kValueBytes<Value>,
                          .n = n,
                          .source = items,
                          .data = items,
                          .alternate = {alternate.keys, alternate.values},
                          .d_workspace = workspace.data(),
                          .stream = stream,
                          .stretched = &stretched});
}

/// Sorts a part that exchanges nothing with others, in all of its workspace.
template <class Part>
PartResult sort_lone_part(KeyKind kind, const Part& part) {
  sort_in_place(kind, part.data, part.alternate, part.n, part.workspace, part.stream);
  return {ResultIn::data, part.n};
}

}  // namespace sortlab::gpu::parts

// The map of keys whose type and order are known when the sort runs.
#pragma once

#include <stdexcept>

#include "gpu/primitives/key_map.hpp"

namespace sortlab::cuda::detail {

template <class Bits>
gpu::KeyMap<Bits> key_map(KeyType type, Order order) {
  return visit_key_type(type, [order]<class Key>(Key) -> gpu::KeyMap<Bits> {
    if constexpr (sizeof(Key) == sizeof(Bits)) {
      return order == Order::ascending ? gpu::key_map_of<Key, Order::ascending>()
                                       : gpu::key_map_of<Key, Order::descending>();
    } else {
      throw std::logic_error("a key of another width");
    }
  });
}

}  // namespace sortlab::cuda::detail

// The map of a job's keys, whose type and order are known when the sort runs.
#pragma once

#include <stdexcept>

#include "common/contract/key_types.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::cuda::detail {

template <class Bits>
gpu::KeyMap<Bits> key_map(KeyType type, Order order, bool nans_last) {
  return visit_key_type(type, [=]<class Key>(Key) -> gpu::KeyMap<Bits> {
    if constexpr (sizeof(Key) == sizeof(Bits)) {
      if (order == Order::ascending) {
        return nans_last ? gpu::key_map_nans_last<Key, Order::ascending>()
                         : gpu::key_map_of<Key, Order::ascending>();
      }
      return nans_last ? gpu::key_map_nans_last<Key, Order::descending>()
                       : gpu::key_map_of<Key, Order::descending>();
    } else {
      throw std::logic_error("a key of another width");
    }
  });
}

}  // namespace sortlab::cuda::detail

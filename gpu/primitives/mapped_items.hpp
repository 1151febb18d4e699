// Items in global memory with keys of any type and order: kernels read keys as unsigned integers in ascending order
// (key_map.hpp), and what they write are keys again.
#pragma once

#include <cstddef>

#include "common/contract/items.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu {

/// Used as a pointer to keys.
template <class Bits>
class MappedKeys {
 public:
  MappedKeys() = default;
  MappedKeys(void* keys, const KeyMap<Bits>& map)
      : keys_(static_cast<Bits*>(keys)), flip_(map.flip), flip_if_negative_(map.flip_if_negative) {}

  class Place {
   public:
    SORTLAB_HD Place(Bits* key, KeyMap<Bits> map) : key_(key), map_(map) {}
    SORTLAB_HD operator Bits() const { return map_.ordered(*key_); }
    SORTLAB_HD const Place& operator=(Bits ordered) const {
      *key_ = map_.key(ordered);
      return *this;
    }

   private:
    Bits* key_;
    KeyMap<Bits> map_;
  };

  SORTLAB_HD Place operator[](std::size_t i) const {
    return {keys_ + i, {flip_, flip_if_negative_}};
  }
  SORTLAB_HD MappedKeys operator+(std::size_t offset) const {
    MappedKeys further = *this;
    further.keys_ += offset;
    return further;
  }
  SORTLAB_HD bool operator==(const MappedKeys& other) const { return keys_ == other.keys_; }

 private:
  Bits* keys_ = nullptr;
  Bits flip_ = 0;
  Bits flip_if_negative_ = 0;
};

template <class Bits, class Value>
using MappedItems = Items<Bits, Value, MappedKeys<Bits>>;

template <class Bits, class Value>
MappedItems<Bits, Value> mapped(Items<Bits, Value> items, const KeyMap<Bits>& map) {
  return {{items.keys, map}, items.values};
}

}  // namespace sortlab::gpu

// A table of few distinct keys: a look-up finds a key's slot, or finds that the key is not among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>

namespace sortlab::cpu::primitives {

/// At most kMost distinct keys, and a slot for each.
template <class Bits>
class FewKeys {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr int kSlotBits = 10;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  /// Whether the sorted sample has few enough distinct keys.
  bool find(Bits* sample, std::size_t sampled) {
    // A few keys of it are enough to reject most inputs.
    if (distinct(sample, std::min(sampled, 2 * kMost)) > kMost) return false;
    count_ = distinct(sample, sampled);
    if (count_ < 2 || count_ > kMost) return false;
    std::copy_n(sample, count_, keys_);
    return give_slots();
  }
  /// Takes another key, if there is room. Slots are to be given again then.
  bool add(Bits key) {
    Bits* const end = keys_ + count_;
    Bits* const place = std::lower_bound(keys_, end, key);
    if (place != end && *place == key) return true;
    if (count_ == kMost) return false;
    std::copy_backward(place, end, end + 1);
    *place = key;
    ++count_;
    return true;
  }
  /// Assigns each key a slot of its own.
  bool give_slots() {
    std::mt19937_64 random;
    constexpr int kTries = 200;  // one in seven does for 64 keys
    for (int i = 0; i < kTries; ++i) {
      factor_ = static_cast<Bits>(random() | 1);
      if (fill_table()) return true;
    }
    return false;
  }
  std::size_t count() const { return count_; }
  Bits key(std::size_t i) const { return keys_[i]; }  // ascending

  std::size_t slot_of(Bits key) const {
    return static_cast<Bits>(key * factor_) >> (8 * sizeof(Bits) - kSlotBits);
  }
  /// Which of the keys it is. It must be one of them.
  std::size_t place_of(Bits key) const {
    return static_cast<std::size_t>(std::lower_bound(keys_, keys_ + count_, key) - keys_);
  }
  /// Zero only for a key that has a slot.
  Bits difference(std::size_t slot, Bits key) const { return table_[slot] ^ key; }

 private:
  /// Sorts keys, moves the distinct ones to the front, and returns their number.
  static std::size_t distinct(Bits* keys, std::size_t n) {
    if (!std::is_sorted(keys, keys + n)) std::sort(keys, keys + n);
    return static_cast<std::size_t>(std::unique(keys, keys + n) - keys);
  }
  bool fill_table() {
    // Key zero has slot 0, so zero marks the other slots as empty. In an empty slot 0 a key of
    // another slot does.
    std::fill_n(table_, kSlots, Bits{0});
    bool used[kSlots] = {};
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t slot = slot_of(keys_[i]);
      if (used[slot]) return false;
      used[slot] = true;
      table_[slot] = keys_[i];
    }
    if (!used[0]) table_[0] = keys_[0];
    return true;
  }
  std::size_t count_;
  Bits keys_[kMost], table_[kSlots];
  Bits factor_;
};

}  // namespace sortlab::cpu::primitives

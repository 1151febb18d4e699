// The input of a case in memory, and the one right answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/sorts/case.hpp"

namespace sortlab::fuzz {

/// What std::stable_sort makes of the keys, by the suite's order. The values are no places, but each
/// belongs to one place, so a result that moved a value from one key to another is found.
class Input {
 public:
  explicit Input(const Case& one);

  const std::vector<std::byte>& keys() const { return keys_; }
  /// Empty for keys alone.
  const std::vector<std::uint32_t>& values() const { return values_; }
  bool needs_total_order() const { return needs_total_order_; }

  /// "" or what is wrong with a result: keys, and unless it is null values. A stable sort has one right
  /// answer; any other may leave the values of equal keys in any order.
  std::string fault_of(const std::byte* keys, const std::byte* values, bool stable) const;

 private:
  std::size_t place_of(std::uint32_t value) const;
  std::string fault_of_values(const std::byte* keys, const std::byte* values, bool stable) const;

  std::size_t key_bytes_;
  std::uint32_t step_;  // odd: value i is i * step_, modulo 2^32
  std::uint32_t inverse_;
  bool needs_total_order_;
  std::vector<std::byte> keys_, sorted_keys_;
  std::vector<std::uint32_t> values_, sorted_values_;
};

}  // namespace sortlab::fuzz

// The input of a case in memory, and its right result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/sorts/case.hpp"

namespace sortlab::fuzz {

/// The result of std::stable_sort for the keys, in the suite's order. Each value is unique to one
/// place, so a value that moved to another key is found.
class Input {
 public:
  explicit Input(const Case& one);

  const std::vector<std::byte>& keys() const { return keys_; }
  /// Empty for keys alone.
  const std::vector<std::uint32_t>& values() const { return values_; }
  bool needs_total_order() const { return needs_total_order_; }

  /// "" or the fault of a result: its keys, and its values unless `values` is null. A stable sort
  /// has one right result; other sorts may leave the values of equal keys in any order.
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

#include "tests/fuzz/sorts/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/fuzz/sorts/dice.hpp"
#include "tests/fuzz/sorts/keys.hpp"

namespace sortlab::fuzz {
namespace {

std::vector<std::byte> in_memory(const std::vector<std::uint64_t>& words, std::size_t key_bytes) {
  std::vector<std::byte> bytes(words.size() * key_bytes);
  for (std::size_t i = 0; i < words.size(); ++i) {  // little-endian: the low bytes come first
    std::memcpy(bytes.data() + i * key_bytes, &words[i], key_bytes);
  }
  return bytes;
}

std::uint64_t read_key(const std::byte* keys, std::size_t place, std::size_t key_bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, keys + place * key_bytes, key_bytes);
  return word;
}

std::uint32_t read_value(const std::byte* values, std::size_t place) {
  return static_cast<std::uint32_t>(read_key(values, place, sizeof(std::uint32_t)));
}

/// Each step of Newton's method doubles the bits that are right; `odd` is its own inverse in three.
std::uint32_t inverse_of(std::uint32_t odd) {
  std::uint32_t inverse = odd;
  for (int bits = 3; bits < 32; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}

/// memcmp may not be given null pointers.
bool same_bytes(const void* a, const void* b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

}  // namespace

Input::Input(const Case& one)
    : key_bytes_(bytes_of(one.key_type)),
      step_(static_cast<std::uint32_t>(Dice(one.seed, 1).word()) | 1),
      inverse_(inverse_of(step_)) {
  const std::vector<std::uint64_t> words = make_keys(one);
  keys_ = in_memory(words, key_bytes_);
  needs_total_order_ = fuzz::needs_total_order(one.key_type, words);

  struct Item {
    std::uint64_t place_in_order, key;
    std::uint32_t value;
  };
  std::vector<Item> items(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t place = ordered(one.key_type, words[i]);
    items[i] = {one.order == Order::ascending ? place : ~place, words[i],
                static_cast<std::uint32_t>(i) * step_};
    if (one.pairs) values_.push_back(items[i].value);
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.place_in_order < b.place_in_order;
  });
  std::vector<std::uint64_t> sorted;
  for (const Item& item : items) {
    sorted.push_back(item.key);
    if (one.pairs) sorted_values_.push_back(item.value);
  }
  sorted_keys_ = in_memory(sorted, key_bytes_);
}

std::size_t Input::place_of(std::uint32_t value) const { return value * inverse_; }

std::string Input::fault_of(const std::byte* keys, const std::byte* values, bool stable) const {
  if (!same_bytes(keys, sorted_keys_.data(), keys_.size())) {
    std::size_t i = 0;
    const auto right = [&] { return read_key(sorted_keys_.data(), i, key_bytes_); };
    while (read_key(keys, i, key_bytes_) == right()) ++i;
    return fmt::format("key {} is {:#x}, not {:#x}", i, read_key(keys, i, key_bytes_), right());
  }
  return values == nullptr ? "" : fault_of_values(keys, values, stable);
}

std::string Input::fault_of_values(const std::byte* keys, const std::byte* values,
                                   bool stable) const {
  const std::size_t n = values_.size();
  if (same_bytes(values, sorted_values_.data(), n * sizeof(std::uint32_t))) return "";
  std::vector<bool> seen(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = place_of(read_value(values, i));
    if (from >= n) return fmt::format("value {} is none of the input", i);
    if (seen[from]) return fmt::format("value {} is there twice", i);
    seen[from] = true;
    if (read_key(keys, i, key_bytes_) != read_key(keys_.data(), from, key_bytes_)) {
      return fmt::format("value {} belongs to another key", i);
    }
    if (stable && read_value(values, i) != sorted_values_[i]) {
      return fmt::format("not stable: value {} belongs to another one of the equal keys", i);
    }
  }
  return "";
}

}  // namespace sortlab::fuzz

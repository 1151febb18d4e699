// How real programs sort keys like those of a distribution: which types, with or without values,
// and how many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/contract/key_types.hpp"

namespace sortlab {

/// A set of key types.
class KeyTypes {
 public:
  template <class... Types>
  constexpr explicit KeyTypes(Types... types) : bits_(((1u << static_cast<int>(types)) | ...)) {}

  constexpr bool has(KeyType type) const { return (bits_ >> static_cast<int>(type) & 1) != 0; }

 private:
  unsigned bits_;
};

/// Whether programs sort keys alone, items of a key and a value of the usual width, or both.
enum class Carries : std::uint8_t { keys, pairs, both };

/// The defaults are for a distribution that no program has.
struct Usage {
  std::string_view who;  // which programs sort such keys, and why; "" for none
  KeyTypes types{KeyType::u32};
  Carries carries = Carries::keys;
  std::size_t n = std::size_t{1} << 20;

  constexpr bool is_real() const { return !who.empty(); }
  constexpr bool has_value_bytes(std::size_t value_bytes) const {
    return value_bytes == 0 ? carries != Carries::pairs
                            : carries != Carries::keys && value_bytes == kUsualValueBytes;
  }
};

}  // namespace sortlab

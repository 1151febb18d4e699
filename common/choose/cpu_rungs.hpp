// The sorts that cpu/auto may choose and `sortlab tune` measures: a new rung is a line here.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace sortlab {

/// A sort, and where it is never chosen, nor measured for that.
struct CpuRung {
  std::string_view id;
  std::size_t most_n = std::numeric_limits<std::size_t>::max();  // beyond, never near the fastest
  std::size_t padded_key_bytes = 16;  // keys so wide: n is padded to a power of two, ...
  std::size_t most_unpadded = 0;      // ... beyond this n, and there it is for those alone

  constexpr bool is_fit_for(std::size_t n, std::size_t key_bytes, bool power_of_two) const {
    return n <= most_n && (key_bytes < padded_key_bytes || n <= most_unpadded || power_of_two);
  }
};

/// In order of preference where nothing measured tells: for pairs the first that is stable, for keys
/// the first.
inline constexpr CpuRung kCpuRungs[] = {
    {"cpu/radix/pairs"}, {"cpu/radix/hybrid"}, {"cpu/radix/simd"},
    {"cpu/quick/simd"},  {"cpu/merge/simd"},   {"cpu/bitonic/simd", 1 << 20, 8, 512},
};

/// null when it is none of kCpuRungs.
constexpr const CpuRung* find_cpu_rung(std::string_view id) {
  for (const auto& rung : kCpuRungs) {
    if (rung.id == id) return &rung;
  }
  return nullptr;
}

}  // namespace sortlab

// The thoroughness of the matrix tests: SORTLAB_MATRIX=reduced|normal|full. Without it a build with
// a sanitizer uses the reduced matrix and every other build the normal one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace sortlab {

enum class Effort : std::uint8_t { reduced, normal, full };

inline Effort effort_from_environment() {
#if defined(SORTLAB_SANITIZED)
  constexpr Effort kDefault = Effort::reduced;
#else
  constexpr Effort kDefault = Effort::normal;
#endif
  const char* const text = std::getenv("SORTLAB_MATRIX");
  if (text == nullptr) return kDefault;
  if (text == std::string_view("reduced")) return Effort::reduced;
  if (text == std::string_view("normal")) return Effort::normal;
  if (text == std::string_view("full")) return Effort::full;
  throw std::runtime_error("SORTLAB_MATRIX is reduced, normal or full");
}
inline const Effort kEffort = effort_from_environment();

}  // namespace sortlab

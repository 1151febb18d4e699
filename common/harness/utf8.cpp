#include "common/harness/utf8.hpp"

#include <nlohmann/json.hpp>

namespace sortlab {

bool is_utf8(const std::string& text) try {
  (void)nlohmann::json(text).dump();
  return true;
} catch (const nlohmann::json::type_error&) {
  return false;
}

}  // namespace sortlab

// Checks whether text is valid UTF-8, as JSON requires.
#pragma once

#include <string>

namespace sortlab {

bool is_utf8(const std::string& text);

}  // namespace sortlab

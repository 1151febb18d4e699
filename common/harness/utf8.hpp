// Whether text can go into JSON.
#pragma once

#include <string>

namespace sortlab {

bool is_utf8(const std::string& text);

}  // namespace sortlab

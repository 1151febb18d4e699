// A user's wrong input, in words.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "common/contract/errors.hpp"

namespace sortlab {

/// The error with the text that fmt::format() makes of these.
template <class... Args>
BadInput bad_input(fmt::format_string<Args...> format, Args&&... args) {
  return BadInput(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace sortlab

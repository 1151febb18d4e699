// The one exception for what a user typed or handed in wrongly: main prints its one line and
// exits 2.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sortlab {

struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "unknown <what> '<given>'; nearest: a, b, c": the (up to three) names closest by edit distance.
BadInput unknown_name(std::string_view what, std::string_view given,
                      std::span<const std::string> known);

}  // namespace sortlab

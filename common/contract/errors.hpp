// The exceptions that one room throws and another one catches.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sortlab {

/// A user's wrong input. main prints its one line and exits with 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct OutOfDeviceMemory : std::bad_alloc {
  const char* what() const noexcept override { return "out of device memory"; }
};

/// A sort that can't be recorded into a graph, as `--launch graph` asks for.
struct NotCapturable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "unknown <what> '<given>'; nearest: a, b, c": the (up to three) names closest by edit distance.
BadInput unknown_name(std::string_view what, std::string_view given,
                      std::span<const std::string> known);

/// The place of a name among the known ones. Throws unknown_name().
std::size_t index_of_name(std::string_view what, std::string_view given,
                          std::span<const std::string> known);

}  // namespace sortlab

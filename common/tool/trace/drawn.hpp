// A trace as text, and as an animated picture.
#pragma once

#include <string>

#include "common/tool/trace/model.hpp"

namespace sortlab::trace {

/// One line for the input and for each step: the keys after it, with a bar at the beginning of each
/// run, segment or bucket. A dot follows each key that has just moved.
std::string text_of(const Trace& trace);

/// An SVG with one bar per key, as high as the key. The bars move from step to step, repeatedly. It
/// needs no script, follows the reader's light or dark mode, and shows the input if it is not
/// animated.
std::string svg_of(const Trace& trace);

}  // namespace sortlab::trace

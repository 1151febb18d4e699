// A trace as text, and as an animated picture.
#pragma once

#include <string>

#include "common/tool/trace/model.hpp"

namespace sortlab::trace {

/// A line for the input and for each step: the keys after it, with a bar where a run, a segment or a bucket
/// begins. A dot follows each key that has just moved.
std::string text_of(const Trace& trace);

/// An SVG: a bar for each key, as high as the key, which moves from step to step, over and over. It needs no
/// script, follows the reader's light or dark mode, and shows the input where nothing is animated.
std::string svg_of(const Trace& trace);

}  // namespace sortlab::trace

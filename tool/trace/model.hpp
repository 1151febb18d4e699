// Small models of the algorithms that record each step: for learning, not for speed. A trace is shown as text, or as an
// animated picture.
//
// A model does the common work of all rungs of its ladder, without their optimizations. So it has
// the passes, stages and comparisons that the rungs' top comments count.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sortlab::trace {

using Keys = std::vector<unsigned>;

/// The keys that move at the same time.
struct Step {
  std::string title;
  std::vector<std::size_t> from;  // by place: where its key was before the step
  std::vector<std::size_t>
      cuts;  // places where a run, a segment or a bucket begins, but 0; ascending
  std::vector<std::pair<std::size_t, std::size_t>> compared;  // places, before the step
};

struct Trace {
  std::string algorithm;  // "bitonic"
  Keys input;
  std::vector<Step> steps;

  /// The keys after this number of steps: after 0 the input, after all of them the result.
  Keys after(std::size_t steps_done) const;
  std::size_t comparisons() const;
  /// How many keys have changed their place, over all steps.
  std::size_t moves() const;
};

/// The network: log2(n) stages (rounded up), of which stage s has s steps; neighbours at a distance are
/// compared and exchanged.
Trace bitonic(const Keys& keys);

/// Merges pairs of runs of 1, 2, 4, ... keys: log2(n) passes, rounded up. Stable.
Trace merge(const Keys& keys);

/// All segments are split at a time, by the median of their first, middle and last key, into less, equal
/// and greater; each part keeps its order. Keys equal to a pivot are done, and so is a segment of one key.
Trace quick(const Keys& keys);

/// Least significant decimal digit first: a stable distribution to 10 buckets for each digit of the
/// greatest key. Compares nothing.
Trace radix(const Keys& keys);

/// The names that trace_of() takes.
std::vector<std::string> algorithms();
Trace trace_of(std::string_view algorithm, const Keys& keys);

/// One line for the input and for each step: the keys after it, with a bar at the beginning of each
/// run, segment or bucket. A dot follows each key that has just moved.
std::string text_of(const Trace& trace);

/// An SVG with one bar per key, as high as the key. The bars move from step to step, repeatedly. It
/// needs no script, follows the reader's light or dark mode, and shows the input if it is not
/// animated.
std::string svg_of(const Trace& trace);

}  // namespace sortlab::trace

#include <fmt/format.h>

#include <algorithm>

#include "tool/trace/model.hpp"

namespace sortlab::trace {
namespace {

/// The line of a step; without a step, the line of the input.
std::string line(const std::string& title, std::size_t width, const Keys& keys, const Step* step) {
  std::string text = fmt::format("{:{}} ", title, width);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_cut = step != nullptr && std::count(step->cuts.begin(), step->cuts.end(), i) > 0;
    const bool has_moved = step != nullptr && step->from[i] != i;
    text += fmt::format("{}{:>2}{}", is_cut ? '|' : ' ', keys[i], has_moved ? '.' : ' ');
  }
  return text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
}

}  // namespace

std::string text_of(const Trace& trace) {
  std::size_t width = 5;
  for (const auto& step : trace.steps) width = std::max(width, step.title.size());
  std::string text =
      fmt::format("{}, {} keys: {} steps, {} comparisons, {} moves\n\n", trace.algorithm,
                  trace.input.size(), trace.steps.size(), trace.comparisons(), trace.moves());
  text += line("input", width, trace.input, nullptr);
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    text += line(trace.steps[i].title, width, trace.after(i + 1), &trace.steps[i]);
  }
  return text;
}

}  // namespace sortlab::trace

#include "common/choose/choices.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sortlab {

std::string Widths::text() const {
  std::string text = fmt::format("{}-byte keys", key_bytes);
  if (value_bytes > 0) text += fmt::format(" with {}-byte values", value_bytes);
  return stable ? text + ", stable" : text;
}

Choices scaled(const Choices& choices, double factor) {
  Choices all = choices;
  for (auto& [widths, steps] : all) {
    for (auto& step : steps) {
      step.from_n =
          static_cast<std::size_t>(std::llround(static_cast<double>(step.from_n) * factor));
    }
  }
  return all;
}

std::string readable_choices(const Choices& choices) {
  std::string text;
  for (const auto& [widths, steps] : choices) {
    text += widths.text() + '\n';
    if (steps.front().from_n > 0) text += "  before             as on one thread, on one\n";
    for (const auto& step : steps) text += fmt::format("  from {:>10}  {}\n", step.from_n, step.id);
  }
  return text;
}

}  // namespace sortlab

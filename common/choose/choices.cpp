#include "common/choose/choices.hpp"

namespace sortlab {

std::string Widths::text() const {
  std::string text = std::to_string(key_bytes) + "-byte keys";
  if (value_bytes > 0) text += " with " + std::to_string(value_bytes) + "-byte values";
  return stable ? text + ", stable" : text;
}

Choices scaled(const Choices& choices, double factor) {
  Choices all = choices;
  for (auto& [widths, steps] : all) {
    for (auto& step : steps) step.from_n = scaled(step.from_n, factor);
  }
  return all;
}

std::string readable_choices(const Choices& choices) {
  std::string text;
  for (const auto& [widths, steps] : choices) {
    text += widths.text() + '\n';
    if (steps.front().from_n > 0) text += "  before             as on one thread, on one\n";
    for (const auto& step : steps) {
      const std::string n = std::to_string(step.from_n);
      text += "  from " + std::string(n.size() < 10 ? 10 - n.size() : 0, ' ') + n + "  " + step.id +
              '\n';
    }
  }
  return text;
}

}  // namespace sortlab

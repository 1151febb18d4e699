#include "common/harness/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "common/harness/terminal/window.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

constexpr double kBetweenLines_s = 10;  // where stderr is no terminal
constexpr double kBetweenTicks_s = 0.95;
constexpr double kBetweenNames_s = 0.1;  // of short configurations
constexpr std::size_t kBar = 20;

std::string bar(std::size_t done, std::size_t all) {
  const std::size_t full = all == 0 ? 0 : kBar * done / all;
  return '[' + std::string(full, '#') + std::string(kBar - full, '.') + ']';
}

}  // namespace

std::string readable_duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

Progress::Progress() : on_terminal_(is_terminal(STDERR_FILENO)) {}

void Progress::expect(const std::string& variant, std::size_t n) {
  estimate_.expect(variant, n);
  ++count_;
}

void Progress::begin(const std::string& name) {
  name_ = name;
  began_s_ = watch_.elapsed_s();
  if (began_s_ - last_shown_s_ >= (on_terminal_ ? kBetweenNames_s : kBetweenLines_s)) show();
}

void Progress::tick() {
  const double since_s = watch_.elapsed_s() - last_shown_s_;
  if (since_s >= (on_terminal_ ? kBetweenTicks_s : kBetweenLines_s)) show();
}

void Progress::finished(const std::string& variant, std::size_t n, const std::string& result) {
  estimate_.finished(variant, n, watch_.elapsed_s() - began_s_);
  began_s_ = watch_.elapsed_s();
  ++finished_;
  if (!result.empty()) result_ = result;
}

std::string Progress::line() const {
  std::string times = readable_duration(watch_.elapsed_s());
  if (const auto left = estimate_.seconds_left(); left && watch_.elapsed_s() > 1) {
    times += fmt::format(", about {} left", readable_duration(*left));
  }
  const std::string counts = fmt::format("{}/{}", finished_ + 1, count_);
  if (!on_terminal_) return fmt::format("[{}] {}: {}", counts, times, name_);
  std::string text = fmt::format("{} {} {} | {}", bar(finished_, count_), counts, times, name_);
  if (!result_.empty()) text += " | last: " + result_;
  return text;
}

void Progress::show() {
  last_shown_s_ = watch_.elapsed_s();
  if (!on_terminal_) {
    note("{}\n", line());
    return;
  }
  // A line that fills the last column makes some terminals begin a new one.
  const std::size_t width = window_width(STDERR_FILENO).value_or(80);
  note("\r\x1b[K{}", cut_to(line(), width - 1));
}

void Progress::end() const {
  if (on_terminal_) note("\r\x1b[K");
}

}  // namespace sortlab

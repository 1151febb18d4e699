#include "common/harness/terminal/paint.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "common/harness/terminal/window.hpp"

namespace sortlab {
namespace {

Colors chosen = Colors::automatic;

constexpr int kCodes[] = {32, 31, 33, 90, 1};  // of ANSI terminals, by tone

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

}  // namespace

void set_colors(Colors colors) { chosen = colors; }

bool paints(int fd) {
  if (chosen != Colors::automatic) return chosen == Colors::always;
  return is_terminal(fd) && !is_set("NO_COLOR") && !is_dumb();
}

std::string painted(Tone tone, std::string_view text, int fd) {
  if (text.empty() || !paints(fd)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<int>(tone)], text);
}

}  // namespace sortlab

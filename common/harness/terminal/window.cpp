#include "common/harness/terminal/window.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "common/contract/numbers.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

bool begins_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

/// How many bytes of `text` its first `columns` code points take.
std::size_t bytes_of_columns(std::string_view text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_code_point(text[i]) && seen++ == columns) return i;
  }
  return text.size();
}

/// One paragraph. `column` is where the output stands.
void add_wrapped(std::string& out, std::string_view line, std::size_t width, std::size_t indent,
                 std::size_t column) {
  bool at_start = true;
  while (!line.empty()) {
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', spaces), line.size());
    const std::string_view word = line.substr(spaces, end - spaces);
    if (!at_start && column + spaces + columns_of(word) > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else {
      out.append(spaces, ' ');
      column += spaces;
    }
    out += word;
    column += columns_of(word);
    at_start = false;
    line.remove_prefix(end);
  }
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) != 0; }

std::optional<std::size_t> window_width(int fd) {
  winsize window{};
  if (ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) return window.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  const auto width = columns == nullptr ? std::nullopt : parse_whole(columns);
  return width && *width > 0 ? std::optional<std::size_t>(*width) : std::nullopt;
}

std::size_t room_for_text(int fd) {
  return is_terminal(fd) ? window_width(fd).value_or(80) : SIZE_MAX;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (columns_of(text) <= width) return std::string(text);
  constexpr std::string_view kDots = "...";
  if (width <= kDots.size()) return std::string(kDots.substr(0, width));
  return std::string(text.substr(0, bytes_of_columns(text, width - kDots.size()))) +
         std::string(kDots);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t begin) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add_wrapped(out, text.substr(0, end), width, indent, begin);
    if (end == text.size()) return out;
    out += '\n' + std::string(indent, ' ');
    begin = indent;
    text.remove_prefix(end + 1);
  }
}

std::string wrapped_lines(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    out += columns_of(line) <= width ? std::string(line) : wrapped(line, width, indent);
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string wrapped_command(std::string_view command, std::size_t width, std::size_t indent,
                            std::size_t begin) {
  constexpr std::string_view kMore = " \\";
  std::string text = wrapped(command, width - kMore.size(), indent, begin);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;
       at += 1 + kMore.size()) {
    text.insert(at, kMore);
  }
  return text;
}

void note_line(std::string_view text) {
  note("{}\n", wrapped_lines(text, room_for_text(STDERR_FILENO), 2));
}

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

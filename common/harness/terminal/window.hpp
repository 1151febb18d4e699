// What a terminal shows: its width, text cut and wrapped to it, and colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sortlab {

/// Whether the file descriptor writes to a terminal.
bool is_terminal(int fd);

/// The width in columns of the terminal behind `fd`, or else the variable COLUMNS. Empty without
/// both.
std::optional<std::size_t> window_width(int fd);

/// How wide text for `fd` may be: the width of its terminal's window; unlimited without a terminal.
std::size_t room_for_text(int fd);

/// How many columns UTF-8 text takes: its code points.
std::size_t columns_of(std::string_view text);

/// The text, or its beginning and "..." if it has more than `width` columns.
std::string cut_to(std::string_view text, std::size_t width);

/// Breaks each line of a text at spaces into lines of at most `width` columns, where words allow it.
/// The first line begins in column `begin`, where the caller has put the output; all others begin with
/// `indent` spaces. No line break at the end.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0,
                    std::size_t begin = 0);

/// Breaks the lines of a text that are wider than `width`, and no others, at spaces. What follows a
/// break is indented.
std::string wrapped_lines(std::string_view text, std::size_t width, std::size_t indent);

/// A command for a shell, broken at spaces: lines but the last end in a backslash, so that it can be
/// pasted. `begin` and `indent` as of wrapped().
std::string wrapped_command(std::string_view command, std::size_t width, std::size_t indent,
                            std::size_t begin);

/// Writes a line to stderr, broken to fit the window. Throws nothing, as note().
void note_line(std::string_view text);

// Colours of printed text. A terminal gets them, unless the variable NO_COLOR is set (no-color.org)
// or --color says otherwise.

enum class Colors : std::uint8_t { automatic, always, never };

/// For the whole program. It begins with Colors::automatic.
void set_colors(Colors colors);

/// good: green; bad: red; doubtful: yellow; faint: grey; strong: bold.
enum class Tone : std::uint8_t { good, bad, doubtful, faint, strong };

/// Whether text for this file descriptor gets colours.
bool paints(int fd);

/// The text in its tone; unchanged if paints() is false. Pad the text first, because the codes take
/// no columns.
std::string painted(Tone tone, std::string_view text, int fd = 1);

}  // namespace sortlab

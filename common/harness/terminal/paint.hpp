// Colours of printed text. A terminal gets them, unless the variable NO_COLOR is set (no-color.org)
// or --color says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sortlab {

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

// What a shell may offer for a half-typed command line, read off the commands themselves: what is
// added to them is completed without a word here.
//
// The name of an option's values, which the help shows, says what they are: VARIANT, TYPE, DIST,
// MATRIX; a|b|c for one of these; FILE for what the shell knows better. Any other word goes by an
// option of the same name in another command, and without one by files; numbers by nothing.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sortlab {

/// The line by which the shell is told to offer files.
inline constexpr const char* kOfferFiles = ":files";

/// What can stand in the place of the last of `words`, which may be empty; `words` begin behind the
/// program's name.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sortlab

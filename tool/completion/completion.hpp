// The words that a shell may offer for an incomplete command line. They are read from the commands
// themselves, so new commands and flags need no change here.
//
// The name of an option's values, which the help shows, says what they are: VARIANT, TYPE, DIST,
// MATRIX; a|b|c for one of these; FILE for files, which the shell completes. Other names are looked
// up in options of the same name in other commands, or else completed as files. Numbers are not
// completed.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sortlab {

/// The line that tells the shell to offer files.
inline constexpr const char* kOfferFiles = ":files";

/// The possible completions of the last of `words`, which may be empty. `words` begin behind the
/// program's name.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sortlab

// Why ranks have ended: from the launcher's exit status, and from what it and the ranks said.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/harness/measure/sample.hpp"

namespace sortlab {

/// What a rank says before it ends all of them: reason_of_end() finds it again.
std::string last_words(int rank, const Outcome& outcome);

/// The outcome of the task at work when ranks ended. `status` is the launcher's, as of waitpid; nothing: it
/// had to be killed. `said` is what the launcher and the ranks wrote to stdout and stderr.
Outcome reason_of_end(std::optional<int> status, std::string_view said);

}  // namespace sortlab

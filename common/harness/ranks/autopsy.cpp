#include "common/harness/ranks/autopsy.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>

namespace sortlab {
namespace {

using Text = std::match_results<std::string_view::const_iterator>;

bool finds(std::string_view text, const char* pattern, Text& found) {
  return std::regex_search(text.begin(), text.end(), found, std::regex(pattern));
}

Outcome of_signal(int signal, const std::string& rank) {
  const std::string who = rank.empty() ? "a rank" : "rank " + rank;
  if (signal == SIGKILL) return {Status::oom, fmt::format("{}: {}", who, kKilled)};
  return {Status::failed, fmt::format("{}: crashed: {}", who, strsignal(signal))};
}

/// The first line that says something: launchers draw boxes around their messages.
std::string first_words(std::string_view said) {
  Text found;
  return finds(said, "[^\\n]*[A-Za-z][^\\n]*[a-z][^\\n]*", found) ? found.str() : "";
}

}  // namespace

std::string last_words(int rank, const Outcome& outcome) {
  return fmt::format("sortlab: rank {}: {}\n", rank, nlohmann::json(outcome).dump());
}

Outcome reason_of_end(std::optional<int> status, std::string_view said) {
  Text found;
  if (finds(said, "sortlab: rank (\\d+): (\\{[^\\n]*\\})\\n", found)) {
    try {
      auto outcome = nlohmann::json::parse(found.str(2)).get<Outcome>();
      outcome.reason = fmt::format("rank {}: {}", found.str(1), outcome.reason);
      return outcome;
    } catch (const nlohmann::json::exception&) {  // a sort's own words
    }
  }
  // "mpirun noticed that process rank 2 with PID 0 on node x exited on signal 9 (Killed)." or
  // "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)"
  Text rank;
  finds(said, "rank (\\d+)", rank);
  if (finds(said, "signal (\\d{1,3})", found)) {
    return of_signal(std::stoi(found.str(1)), rank.empty() ? "" : rank.str(1));
  }
  if (!status) return {Status::failed, "the ranks hung up and went on"};
  if (WIFSIGNALED(*status)) return of_signal(WTERMSIG(*status), "");
  const std::string words = first_words(said);
  return {Status::failed, fmt::format("the launcher exited with {}{}", WEXITSTATUS(*status),
                                      words.empty() ? "" : ": " + words)};
}

}  // namespace sortlab

#include "common/harness/ranks/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/contract/numbers.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/ranks/ranks.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/temporary_folder.hpp"
#include "common/harness/worker/process.hpp"
#include "common/notes.hpp"
#include "common/timers.hpp"

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

namespace fs = std::filesystem;

constexpr const char* kLauncher = "mpirun";

std::optional<int> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  const auto number = text == nullptr ? std::nullopt : parse_whole(text);
  return number && *number <= 1'000'000 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

bool is_on_path(const char* program) {
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::string folder(rest.substr(0, rest.find(':')));
    if (access((folder + '/' + program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return false;
}

/// A socket in a folder that only this user can enter; gone with the object.
class Meeting {
 public:
  Meeting() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path().size() >= sizeof address.sun_path) {
      throw std::runtime_error(path() + ": too long a path for a socket");
    }
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        listen(socket_, SOMAXCONN) != 0) {
      const int error = errno;
      if (socket_ >= 0) close(socket_);
      throw std::runtime_error(fmt::format("{}: {}", path(), std::strerror(error)));
    }
  }
  ~Meeting() { close(socket_); }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  std::string path() const { return (folder_.path() / "rank_0").string(); }

  /// The socket to rank 0, once it has called; nothing when nobody did within the time, or when the
  /// launcher has ended.
  std::optional<int> wait_for_call(int launcher, double timeout_s) const {
    for (const Stopwatch watch; watch.elapsed_s() < timeout_s && !interrupted();) {
      const bool ended = has_ended(launcher);
      pollfd call{socket_, POLLIN, 0};
      if (poll(&call, 1, ended ? 0 : 20) > 0)
        return accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (ended) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  TemporaryFolder folder_;
  int socket_ = -1;
};

/// The environment of mpirun: what its user has not set, and both Open MPI's versions ask for in other
/// words. MPICH's mpirun needs none of it.
std::vector<std::string> launcher_environment(int ranks, int threads) {
  std::vector<std::pair<std::string, std::string>> wanted = {
      // More ranks than slots, and no rank bound to a CPU: a container's CPUs are not the first ones.
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
      {"PRTE_MCA_hwloc_default_binding_policy", "none"}};
  if (geteuid() == 0) {
    for (const char* prefix : {"OMPI", "PRTE"}) {
      wanted.emplace_back(fmt::format("{}_ALLOW_RUN_AS_ROOT", prefix), "1");
      wanted.emplace_back(fmt::format("{}_ALLOW_RUN_AS_ROOT_CONFIRM", prefix), "1");
    }
  }
  // A rank that waits must not take the CPU from the one that it waits for.
  if (ranks * std::max(threads, 1) > usable_cpus())
    wanted.emplace_back("OMPI_MCA_mpi_yield_when_idle", "1");
  std::vector<std::string> all = own_environment();
  for (const auto& [name, value] : wanted) {
    if (std::getenv(name.c_str()) == nullptr) all.push_back(name + '=' + value);
  }
  return all;
}

/// Starts mpirun in a process group of its own, with all that it says in the file `said`.
int start_launcher(int ranks, int threads, const std::string& meeting, int said) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int pid = -1;
  const int error = start_program(
      kLauncher,
      {kLauncher, "-n", std::to_string(ranks), fs::read_symlink(kThisProgram).string(), "rank",
       std::to_string(ranks), meeting},
      {{null, STDIN_FILENO}, {said, STDOUT_FILENO}, {said, STDERR_FILENO}}, 0, pid,
      launcher_environment(ranks, threads));
  close(null);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", kLauncher, std::strerror(error)));
  return pid;
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

std::optional<LaunchedAs> launched_as() {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank_name, ranks_name] : kNames) {
    const auto rank = number_in_environment(rank_name), ranks = number_in_environment(ranks_name);
    if (rank && ranks && *rank < *ranks) return LaunchedAs{*rank, *ranks};
  }
  return std::nullopt;
}

std::string ranks_unavailable() {
  if (const std::string reason = mpi_missing(); !reason.empty()) return reason;
  if (launched_as() || is_on_path(kLauncher)) return "";
  return fmt::format("there is no {} on the PATH (openmpi-bin)", kLauncher);
}

LaunchedRanks::LaunchedRanks(int ranks, int threads, double timeout_s) {
  if (launched_as()) {
    // The launcher's processes can be joined once. Those that it started beside this one wait for it.
    static bool joined = false;
    if (std::exchange(joined, true)) {
      throw std::runtime_error("the launcher's ranks have ended; the same command resumes");
    }
    process_.emplace(start_self({"rank", std::to_string(ranks)}, 0));
    return;
  }
  const Meeting meeting;
  said_ = memfd_create("ranks", MFD_CLOEXEC);
  if (said_ < 0) throw std::runtime_error(fmt::format("memfd_create: {}", std::strerror(errno)));
  adopt_orphans();
  const int pid = start_launcher(ranks, threads, meeting.path(), said_);
  add_child_group(pid);
  const auto call = meeting.wait_for_call(pid, timeout_s);
  process_.emplace(Process{pid, Channel(call.value_or(-1)), 0});
  if (call) return;
  const bool was_late = !has_ended(pid);
  const Outcome outcome = autopsy();
  close(said_);
  if (was_late) throw std::runtime_error(fmt::format("no ranks after {} s", timeout_s));
  throw std::runtime_error(fmt::format("no ranks: {}", outcome.reason));
}

LaunchedRanks::~LaunchedRanks() {
  if (process_) autopsy();
  if (said_ >= 0) close(said_);
}

void LaunchedRanks::stop() { kill(process_->pid, SIGTERM); }

Outcome LaunchedRanks::autopsy() {
  constexpr double kSecondsToEnd = 3;
  const int pid = process_->pid;
  process_.reset();  // idle ranks end with the socket
  // At SIGTERM the launcher ends all ranks, on other hosts too, and cleans up. SIGKILL leaves it no time.
  const Stopwatch watch;
  while (!has_ended(pid) && watch.elapsed_s() < kSecondsToEnd && !interrupted()) usleep(2000);
  if (!has_ended(pid)) kill(pid, SIGTERM);
  const auto status = wait_for_end(pid);
  const std::string text = said();
  if (!text.empty()) note("{}", text);
  return reason_of_end(status, text);
}

std::string LaunchedRanks::said() const {
  std::string text(said_ < 0 ? 0 : static_cast<std::size_t>(lseek(said_, 0, SEEK_END)), '\0');
  if (!text.empty() && pread(said_, text.data(), text.size(), 0) < 0) text.clear();
  return text;
}

}  // namespace sortlab

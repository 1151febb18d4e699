// Starting ranks: by mpirun, which this process starts, or by whatever launcher started this process. And why ranks have
// ended: from the launcher's exit status, and from what it and the ranks said.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/harness/measure/sample.hpp"
#include "common/harness/worker/process.hpp"

namespace sortlab {

/// What the environment says of a launcher that started this program: mpirun of Open MPI or MPICH, or
/// Slurm's srun. Nothing where it was started alone.
struct LaunchedAs {
  int rank;
  int ranks;
};
std::optional<LaunchedAs> launched_as();

/// "" or, in one line, why no sort over ranks can run here.
std::string ranks_unavailable();

/// Ranks, and what they and their launcher said on stderr.
class LaunchedRanks {
 public:
  /// Starts `ranks` processes of this program, of `threads` threads each, and waits for rank 0 to call back.
  /// Where a launcher started this program, these are its processes; then `ranks` is their number. Throws
  /// std::runtime_error with the reason when they can't be started within `timeout_s` seconds.
  LaunchedRanks(int ranks, int threads, double timeout_s);
  ~LaunchedRanks();
  LaunchedRanks(LaunchedRanks&&) = delete;

  Process& process() { return *process_; }

  /// Ends ranks that hang.
  void stop();
  /// Waits for their end, and says why it came if nobody asked for it.
  Outcome autopsy();

 private:
  std::string said() const;

  std::optional<Process> process_;
  int said_ = -1;  // a file in memory
};

/// What a rank says before it ends all of them: reason_of_end() finds it again.
std::string last_words(int rank, const Outcome& outcome);

/// The outcome of the task at work when ranks ended. `status` is the launcher's, as of waitpid; nothing: it
/// had to be killed. `said` is what the launcher and the ranks wrote to stdout and stderr.
Outcome reason_of_end(std::optional<int> status, std::string_view said);

}  // namespace sortlab

// The processes of an MPI program, which MPI calls ranks, as parts of a sort. The rest of the harness needs
// no MPI header. Built without MPI, everything here still links, and mpi_missing() says so.
#pragma once

#include <climits>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/contract/communicator.hpp"

namespace sortlab {

class Ranks : public Communicator {
 public:
  /// The text that rank 0 says, on all ranks. Those that wait for it sleep: they may wait for long, and
  /// take no CPU from what rank 0's program measures meanwhile.
  virtual std::string hear_rank_0(const std::string& own) = 0;

  /// The lowest rank on this rank's host.
  virtual int first_on_host() const = 0;

  /// Ends all ranks at once.
  virtual void abort() = 0;
};

/// "" or, in one line, why this build has no ranks.
std::string mpi_missing();

/// Makes this process one of the ranks that a launcher has started; a program of one rank where none has.
/// The ranks end with the object. MPI counts with int: larger exchanges go in several messages, here all of
/// more than `most_counted` items. Throws std::runtime_error when mpi_missing().
std::unique_ptr<Ranks> join_ranks(std::size_t most_counted = INT_MAX);

/// Joins the ranks and, with the others, measures and checks what rank 0 is asked for, until whoever asks
/// hangs up. There must be `count` ranks. Rank 0 talks over `socket`; where that is -1, it calls the socket
/// at `meeting`. Returns the exit code.
int rank_main(int count, int socket, const std::string& meeting);

/// Where a launcher started this program beside others, and it is not rank 0: does the part of its rank, and
/// returns the exit code. Rank 0 does the rest.
std::optional<int> serve_as_rank();

}  // namespace sortlab

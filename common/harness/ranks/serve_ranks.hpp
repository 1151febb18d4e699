// A rank's side.
#pragma once

#include <optional>
#include <string>

namespace sortlab {

/// Joins the ranks and, with the others, measures and checks what rank 0 is asked for, until whoever asks
/// hangs up. There must be `count` ranks. Rank 0 talks over `socket`; where that is -1, it calls the socket
/// at `meeting`. Returns the exit code.
int rank_main(int count, int socket, const std::string& meeting);

/// Where a launcher started this program beside others, and it is not rank 0: does the part of its rank, and
/// returns the exit code. Rank 0 does the rest.
std::optional<int> serve_as_rank();

}  // namespace sortlab

// The worker's side of the connection.
#pragma once

namespace sortlab {

/// Answers the parent's requests to measure, check and describe, until the parent closes the
/// socket. Returns the exit code.
int worker_main(int socket);

}  // namespace sortlab

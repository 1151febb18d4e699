// The worker's side.
#pragma once

namespace sortlab {

/// Measures, checks and describes what the parent asks for, until the parent closes the socket.
/// Returns the exit code.
int worker_main(int socket);

}  // namespace sortlab

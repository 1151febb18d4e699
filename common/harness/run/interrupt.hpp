// Handles Ctrl-C and Ctrl-Z.
#pragma once

namespace sortlab {

/// From now on the first Ctrl-C (or SIGTERM) only sets interrupted(); the second ends the program.
/// Ctrl-Z: watch_for_pauses().
void watch_for_interrupts();

/// Once it is true, new configurations are left out and the current one is dropped.
bool interrupted();

}  // namespace sortlab

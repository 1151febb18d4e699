// Ctrl-C and Ctrl-Z.
#pragma once

namespace sortlab {

/// From now on the first Ctrl-C (or SIGTERM) only sets interrupted(); the second ends the program.
/// Ctrl-Z: watch_for_pauses().
void watch_for_interrupts();

/// Once it is true, configurations that have not begun are left out and the one at work is dropped.
bool interrupted();

}  // namespace sortlab

// The threads that earlier sorts left in this process.
//
// A pool's threads spin for a while after its last work: OpenMP's for a few milliseconds, ParlayLib's for
// ten. The next sort would share its CPUs with them, and they sleep before its time is up.
#pragma once

namespace sortlab {

/// Returns once the process's other threads use no CPU, or after a tenth of a second, because some pools
/// never sleep.
void wait_for_idle_threads();

}  // namespace sortlab

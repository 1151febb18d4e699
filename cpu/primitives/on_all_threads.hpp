// A step that all threads take part in.
#pragma once

namespace sortlab {

/// Calls step(t) for each thread t, each on a thread of its own, and waits for all. Every thread
/// sees what all did in the step before.
template <class Step>
void on_all_threads(int threads, Step step) {
  if (threads == 1) return step(0);  // in the middle of a parallel region, too
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) step(t);
}

}  // namespace sortlab

// A data race, on purpose: under the tsan preset this program must fail, or ThreadSanitizer, Archer
// and our suppressions would let a race in a sort pass as well.
#include <atomic>
#include <thread>

namespace {
__attribute__((noinline)) void touch(long* counter) { ++*counter; }

// Relaxed, so that it orders nothing: the two threads only take turns. Without it one of them may be
// done before the other starts, and whatever woke that one would seem to have ordered the two.
void take_turn(std::atomic<int>* turn, int thread) {
  while (turn->load(std::memory_order_relaxed) % 2 != thread) std::this_thread::yield();
}
}  // namespace

int main() {
  long counter = 0;
  std::atomic<int> turn = 0;
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int thread = 0; thread < 2; ++thread) {
    for (int repetition = 0; repetition < 100; ++repetition) {
      take_turn(&turn, thread);
      touch(&counter);
      turn.fetch_add(1, std::memory_order_relaxed);
    }
  }
  return 0;
}

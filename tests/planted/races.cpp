// A parallel sort with an intended data race. ThreadSanitizer must find it in the matrix; otherwise
// Archer and our suppressions would also hide a race in a real sort.
#include <algorithm>
#include <atomic>
#include <thread>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

__attribute__((noinline)) void touch(long* counter) { ++*counter; }

// The order is relaxed, so that it synchronizes nothing: the two threads only take turns. Without
// turns one thread may finish before the other starts, and then the start orders the two.
void take_turn(const std::atomic<int>& turn, int thread) {
  while (turn.load(std::memory_order_relaxed) % 2 != thread) std::this_thread::yield();
}

struct Races {
  static constexpr Info info{
      .summary = "counts without a lock", .source = "made for the tests", .parallel = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    long counter = 0;
    std::atomic<int> turn = 0;
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int thread = 0; thread < 2; ++thread) {
      for (int repetition = 0; repetition < 10; ++repetition) {
        take_turn(turn, thread);
        touch(&counter);
        turn.fetch_add(1, std::memory_order_relaxed);
      }
    }
    std::sort(job.data.keys, job.data.keys + job.n, typename Job::Less{});
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(Races, TypeList<std::int32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

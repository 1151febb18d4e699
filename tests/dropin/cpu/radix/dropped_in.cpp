// A new rung in one file, which no other file of the suite names. tests/tool/variants_test.py checks
// every place in which a rung should appear. It sorts by insertion, so it is suitable for few items
// at most.
#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct DroppedIn {
  static constexpr Info info{.summary = "insertion sort, dropped in",
                             .source = "made for the tests",
                             .after = "cpu/radix/simd",
                             .candidate = Candidate{.most_n = 1024},
                             .stable = true,
                             .in_place = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const typename Job::Less less;
    for (std::size_t i = 1; i < job.n; ++i) {
      const auto item = job.data[i];
      std::size_t hole = i;
      for (; hole > 0 && less(item.key, job.data.keys[hole - 1]); --hole) {
        job.data.put(hole, job.data[hole - 1]);
      }
      job.data.put(hole, item);
    }
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(DroppedIn, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Insertion sort, with a fault for you to find: see what `sortlab verify --filter cpu/mine/first` says.
//
// Over nothing yet: when it sorts, make it faster, step by step, each step a file of its own. Name the rung
// before in Info::after, and `sortlab ladder cpu/mine` shows what each step gains.
// Any n; stable; n log n is up to you.
#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct First {
  static constexpr Info info{.summary = "my first sort: insertion, with a fault",
                             .source = "my own",
                             .stable = true,
                             .in_place = true};

  /// Quadratic: nobody waits for more keys than these.
  static Limit patience(std::string_view) { return {1 << 16, "quadratic"}; }

  /// Job holds the keys, with or without values, and their order (common/contract/variant.hpp).
  template <class Job>
  static ResultIn sort(const Job& job) {
    const typename Job::Less less;
    for (std::size_t i = 1; i + 1 < job.n; ++i) {
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

SORTLAB_REGISTER(First, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

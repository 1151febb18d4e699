// A sort that shifts by the width of its keys. UndefinedBehaviorSanitizer must find this in the
// matrix.
#include <algorithm>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct ShiftsTooFar {
  static constexpr Info info{.summary = "shifts too far", .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::sort(job.data.keys, job.data.keys + job.n, typename Job::Less{});
    const volatile int width = 32;
    const volatile unsigned shifted = 1u << width;
    (void)shifted;
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(ShiftsTooFar, TypeList<std::int32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

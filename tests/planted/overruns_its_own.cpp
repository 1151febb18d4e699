// A sort that reads past the end of its own memory, which has no guard zone. AddressSanitizer must
// find this in the matrix.
#include <algorithm>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct OverrunsItsOwn {
  static constexpr Info info{.summary = "reads past its own buffer",
                             .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::vector<typename Job::Key> copy(job.data.keys, job.data.keys + job.n);
    std::sort(copy.begin(), copy.end(), typename Job::Less{});
    std::copy(copy.begin(), copy.end(), job.data.keys);
    if (job.n == 0) return ResultIn::data;
    const volatile auto beyond = copy.data()[job.n];
    (void)beyond;
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(OverrunsItsOwn, TypeList<std::int32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

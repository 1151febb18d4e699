// A sort that never frees its buffer. LeakSanitizer must find this in the matrix.
#include <algorithm>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct Leaks {
  static constexpr Info info{.summary = "never frees its buffer", .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = std::vector<typename Job::Key>;
    Keys* copy = new Keys(job.data.keys, job.data.keys + job.n);
    std::sort(copy->begin(), copy->end(), typename Job::Less{});
    std::copy(copy->begin(), copy->end(), job.data.keys);
    copy = nullptr;
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(Leaks, TypeList<std::int32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

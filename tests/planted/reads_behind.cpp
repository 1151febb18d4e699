// A sort with a right result that writes only its keys, but loads the key behind its last one, as a
// vector loop with one step too many may do.
#include <algorithm>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct ReadsBehind {
  static constexpr Info info{.summary = "reads the key behind its last one",
                             .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::sort(job.data.keys, job.data.keys + job.n, typename Job::Less{});
    (void)*const_cast<const volatile typename Job::Key*>(job.data.keys + job.n);
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(ReadsBehind, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

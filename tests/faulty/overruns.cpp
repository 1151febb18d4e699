// A sort with a right result that writes one key past the end.
#include <algorithm>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct Overruns {
  static constexpr Info info{.summary = "writes one key too many", .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::sort(job.data.keys, job.data.keys + job.n);
    job.data.keys[job.n] = 0;
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(Overruns, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

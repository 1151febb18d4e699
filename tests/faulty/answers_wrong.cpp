// A sort whose result is in order, but lacks one key and has another one twice.
#include <algorithm>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

struct AnswersWrong {
  static constexpr Info info{.summary = "loses a key", .source = "made for the tests"};

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::sort(job.data.keys, job.data.keys + job.n);
    if (job.n > 1) job.data.keys[0] = job.data.keys[1];
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(AnswersWrong, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

// Planted: a rank that never ends; the others wait for it.
#include <unistd.h>

#include "common/contract/parts.hpp"

namespace sortlab {
namespace {

bool is_last(const Communicator& parts) { return parts.part() == parts.parts() - 1; }

struct RankHangs {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "planted: a rank that never ends"};

  static PartNeeds needs(const PartRequest& request) { return {request.most_n()}; }

  template <class Job>
  static PartResult sort(const Job& job) {
    while (is_last(job.parts)) pause();
    job.parts.barrier();
    return {ResultIn::data, job.n};
  }
};
SORTLAB_REGISTER(RankHangs, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

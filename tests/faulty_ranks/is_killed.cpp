// Planted: a rank that the system kills, as it does when memory runs out; the others wait for it.
#include <csignal>

#include "common/contract/parts.hpp"

namespace sortlab {
namespace {

bool is_last(const Communicator& parts) { return parts.part() == parts.parts() - 1; }

struct RankIsKilled {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "planted: a rank that is killed"};

  static PartNeeds needs(const PartRequest& request) { return {request.most_n()}; }

  template <class Job>
  static PartResult sort(const Job& job) {
    if (is_last(job.parts)) std::raise(SIGKILL);
    job.parts.barrier();
    return {ResultIn::data, job.n};
  }
};
SORTLAB_REGISTER(RankIsKilled, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

// Planted: a rank that gets a signal; the others wait for it.
#include <csignal>

#include "common/contract/parts.hpp"

namespace sortlab {
namespace {

bool is_last(const Communicator& parts) { return parts.part() == parts.parts() - 1; }

struct RankDies {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "planted: a rank that gets a signal"};

  static PartNeeds needs(const PartRequest& request) { return {request.most_n()}; }

  template <class Job>
  static PartResult sort(const Job& job) {
    if (is_last(job.parts)) std::raise(SIGSEGV);
    job.parts.barrier();
    return {ResultIn::data, job.n};
  }
};
SORTLAB_REGISTER(RankDies, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

// Planted: a rank that gets no memory; the others wait for it.
#include <new>

#include "common/contract/parts.hpp"

namespace sortlab {
namespace {

bool is_last(const Communicator& parts) { return parts.part() == parts.parts() - 1; }

struct RankLacksMemory {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "planted: a rank that gets no memory"};

  static PartNeeds needs(const PartRequest& request) { return {request.most_n()}; }

  template <class Job>
  static PartResult sort(const Job& job) {
    if (is_last(job.parts)) throw std::bad_alloc();
    job.parts.barrier();
    return {ResultIn::data, job.n};
  }
};
SORTLAB_REGISTER(RankLacksMemory, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab

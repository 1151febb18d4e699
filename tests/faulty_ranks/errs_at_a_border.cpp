// Planted: items that stay where they are, in order when they began so, but for those at the first border between two
// ranks.
#include "common/contract/parts.hpp"

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {
    {"fault", 0, 0, 3, "0 none, 1 an item lost, 2 one doubled, 3 two exchanged"}};

struct ErrsAtABorder {
  using JobKind = RankParts;
  static constexpr Info info{
      .summary = "planted: a fault between two ranks", .stable = true, .params = kParams};

  static PartNeeds needs(const PartRequest& request) { return {request.most_n() + 1}; }

  template <class Job>
  static PartResult sort(const Job& job) {
    const int part = job.parts.part();
    const auto fault = job.params["fault"];
    if (fault == 1 && part == 0) return {ResultIn::data, job.n - 1};
    if (fault == 2 && part == 0) {
      job.data.put(job.n, job.data[job.n - 1]);
      return {ResultIn::data, job.n + 1};
    }
    if (fault == 3) {
      const std::size_t at_border = part == 0 ? job.n - 1 : 0;
      const auto items = gathered(job.parts, job.data[at_border]);
      if (part < 2) job.data.put(at_border, items[static_cast<std::size_t>(1 - part)]);
    }
    return {ResultIn::data, job.n};
  }
};
SORTLAB_REGISTER(ErrsAtABorder, TypeList<std::uint32_t>, KeysAndPairs);

}  // namespace
}  // namespace sortlab

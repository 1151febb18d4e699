// Planted: records that stay where they are, in order when they began so; the last rank changes one bit of a payload.
#include "common/contract/records.hpp"

namespace sortlab {
namespace {

struct ChangesARecord {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "planted: changes a bit of a record"};

  static PartNeeds needs(const PartRequest& request) { return {request.most_n()}; }

  static PartResult sort(const RecordPartJob& job) {
    const bool is_last = job.parts.part() == job.parts.parts() - 1;
    if (is_last && job.n > 0) job.records[job.n * job.shape.bytes - 1] ^= std::byte{1};
    return {ResultIn::data, job.n};
  }
};
SORTLAB_REGISTER(ChangesARecord, RecordKeys, KeysOnly);

}  // namespace
}  // namespace sortlab

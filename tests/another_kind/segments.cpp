// The harness's side of that kind: the memory of one array, and a verdict on each segment. A sort's parameter
// `segments` says how many there are.
#include "tests/another_kind/segments.hpp"

#include <vector>

#include "common/harness/kinds/kinds.hpp"
#include "common/harness/rig/host_rig.hpp"

namespace sortlab {
namespace {

class SegmentsRig : public HostRig {
 public:
  SegmentsRig(const Task& of_task, std::size_t misalign)
      : HostRig(of_task, misalign, of_task.variant.needs<Segments>(of_task.request())) {
    const auto segments = static_cast<std::size_t>(of_task.params["segments"]);
    for (std::size_t s = 1; s <= segments; ++s) ends_.push_back(of_task.config.n * s / segments);
    of_segments_.ends = ends_;
    sorts(&of_segments_);
  }

  Verdict verdict(const Input& input) override {
    Verdict all{true, true, {}};
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      const Findings found =
          look_at(buffers().result_keys(landed()), buffers().result_values(landed()), begin, end);
      const Findings before = look_at(input.keys, input.values, begin, end);
      const Verdict one = judged(std::span(&found, 1), before.fingerprint);
      all.sorted = all.sorted && one.sorted;
      all.permutation = all.permutation && one.permutation;
      if (one.stable) all.stable = all.stable.value_or(true) && *one.stable;
      begin = end;
    }
    return all;
  }

 private:
  Findings look_at(const GuardedBuffer& keys, const GuardedBuffer& values, std::size_t begin,
                   std::size_t end) const {
    const Config& config = task().config;
    return look(config.key_type, config.order, keys.data() + begin * config.key_bytes(),
                {values.data() + begin * config.value_bytes, config.value_bytes}, end - begin,
                task().instance.traits.stable);
  }

  std::vector<std::size_t> ends_;
  ErasedSegmentsJob of_segments_{&job(), {}};
};

const bool kAdded = [] {
  static const Handling segments{
      .kind = &Segments::kKind,
      .lacks_memory =
          [](const Task& task, std::size_t input_bytes) {
            return lacks_host_memory(task, input_bytes + task.bytes_needed());
          },
      .make_rig = [](const Task& task, const Setup& setup) -> std::unique_ptr<Rig> {
        return std::make_unique<SegmentsRig>(task, setup.misalign);
      }};
  add_kind(segments);
  return true;
}();

}  // namespace
}  // namespace sortlab

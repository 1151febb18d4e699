// The harness's side of that kind: the memory of one array, and a verdict on each piece. A sort's parameter
// `pieces` says how many there are.
#include "tests/another_kind/pieces.hpp"

#include <vector>

#include "common/harness/kinds/kinds.hpp"
#include "common/harness/rig/host_rig.hpp"

namespace sortlab {
namespace {

class PiecesRig : public HostRig {
 public:
  PiecesRig(const Task& of_task, std::size_t misalign)
      : HostRig(of_task, misalign, of_task.variant.needs<Pieces>(of_task.request())) {
    const auto pieces = static_cast<std::size_t>(of_task.params["pieces"]);
    for (std::size_t s = 1; s <= pieces; ++s) ends_.push_back(of_task.config.n * s / pieces);
    of_pieces_.ends = ends_;
    sorts(&of_pieces_);
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
  ErasedPiecesJob of_pieces_{&job(), {}};
};

const bool kAdded = [] {
  static const Handling pieces{
      .kind = &Pieces::kKind,
      .lacks_memory =
          [](const Task& task, std::size_t input_bytes) {
            return lacks_host_memory(task, input_bytes + task.bytes_needed());
          },
      .make_rig = [](const Task& task, const Setup& setup) -> std::unique_ptr<Rig> {
        return std::make_unique<PiecesRig>(task, setup.misalign);
      }};
  add_kind(pieces);
  return true;
}();

}  // namespace
}  // namespace sortlab

// The memory of a part of a sort over ranks, on the host.
#include <algorithm>
#include <vector>

#include "common/harness/ranks/part_memory.hpp"
#include "common/harness/ranks/peer_buffers.hpp"
#include "common/harness/rig/workspace.hpp"

namespace sortlab {
namespace {

class PartOnHost : public PartMemory {
 public:
  PartOnHost(const Task& task, const PartOfTask& part, int versions)
      : task_(task),
        capacity_(part.needs().capacity),
        shares_alternate_(part.needs().shares_alternate),
        keys_(capacity_ * task.config.key_bytes()),
        alternate_keys_(alternate(capacity_ * task.config.key_bytes())),
        workspace_(part.needs().workspace_bytes) {
    const Config& config = task.config;
    if (config.has_pairs()) {
      values_ = GuardedBuffer(capacity_ * config.value_bytes);
      alternate_values_ = alternate(capacity_ * config.value_bytes);
    }
    for (int v = 0; v < versions; ++v) {
      inputs_.push_back(
          make_slice(config, config.seed + static_cast<std::uint64_t>(v), part.slice()));
    }
  }

  void lend(ErasedPartJob& job) override {
    job.keys = keys_.data();
    job.values = values_.data();
    job.alternate_keys = alternate_keys_.data();
    job.alternate_values = alternate_values_.data();
    job.workspace = workspace_.span();
  }

  void share_alternates(Communicator& parts, ErasedPartJob& job) override {
    if (!shares_alternate_) return;
    peers_keys_ = PeerBuffers(parts, alternate_keys_);
    if (task_.config.has_pairs()) peers_values_ = PeerBuffers(parts, alternate_values_);
    for (std::size_t part = 0; part < peers_keys_.data().size(); ++part) {
      const bool pairs = !peers_values_.data().empty();
      alternates_.push_back(
          {peers_keys_.data()[part], pairs ? peers_values_.data()[part] : nullptr});
    }
    job.alternates = alternates_;
  }

  void restore(std::size_t version) override {
    const Input& input = inputs_[version];
    copy_bytes(keys_.data(), input.keys.data(), input.keys.size());
    copy_bytes(values_.data(), input.values.data(), input.values.size());
  }
  void flush_caches() override { sortlab::flush_caches(); }

  PartReport report(const PartResult& result, std::size_t version) override {
    const bool in_data = result.in == ResultIn::data;
    const PartItems items{(in_data ? keys_ : alternate_keys_).data(),
                          (in_data ? values_ : alternate_values_).data(),
                          std::min(result.n, capacity_)};
    const Fingerprint& expected = inputs_[version].fingerprint;
    const bool is_stable = task_.instance.traits.stable;
    const Config& config = task_.config;
    if (config.key_type == KeyType::record) {
      return report_of_records({items.keys, config.record}, items.n, expected, is_stable);
    }
    return report_of(config.key_type, config.order, items, expected, is_stable);
  }

  int overrun() override {
    const std::array buffers = {&keys_, &values_, &alternate_keys_, &alternate_values_,
                                &workspace_};
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (!buffers[i]->red_zones_intact()) return static_cast<int>(i);
    }
    return -1;
  }

 private:
  GuardedBuffer alternate(std::size_t bytes) const {
    return shares_alternate_ ? GuardedBuffer::in_a_file(bytes) : GuardedBuffer(bytes);
  }

  const Task& task_;
  std::size_t capacity_;
  bool shares_alternate_;
  GuardedBuffer keys_, values_, alternate_keys_, alternate_values_, workspace_;
  std::vector<Input> inputs_;
  PeerBuffers peers_keys_, peers_values_;
  std::vector<ErasedAlternate> alternates_;
};

}  // namespace

std::unique_ptr<PartMemory> make_part_on_host(const Task& task, const PartOfTask& part,
                                              int versions) {
  return std::make_unique<PartOnHost>(task, part, versions);
}

}  // namespace sortlab

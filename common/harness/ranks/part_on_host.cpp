// The memory of a part of a sort over ranks, on the host.
#include <algorithm>
#include <vector>

#include "common/harness/ranks/part_memory.hpp"
#include "common/harness/ranks/peer_buffers.hpp"
#include "common/harness/rig/buffers.hpp"

namespace sortlab {
namespace {

class PartOnHost : public PartMemory {
 public:
  PartOnHost(const Task& task, const PartOfTask& part, int versions)
      : task_(task),
        capacity_(part.needs().capacity),
        shares_alternate_(part.needs().shares_alternate) {
    const Config& config = task.config;
    buffers_.make_data(config, capacity_,
                       [](std::size_t n, std::size_t bytes) { return GuardedBuffer(n * bytes); });
    buffers_.make_alternate(config, capacity_, [this](std::size_t n, std::size_t bytes) {
      return shares_alternate_ ? GuardedBuffer::in_a_file(n * bytes) : GuardedBuffer(n * bytes);
    });
    buffers_.workspace = GuardedBuffer(part.needs().workspace_bytes);
    for (int v = 0; v < versions; ++v) {
      inputs_.push_back(
          make_slice(config, config.seed + static_cast<std::uint64_t>(v), part.slice()));
    }
  }

  void attach(ErasedPartJob& job) override { buffers_.attach(job); }

  void share_alternates(Communicator& parts, ErasedPartJob& job) override {
    if (!shares_alternate_) return;
    peers_keys_ = PeerBuffers(parts, buffers_.alternate_keys);
    if (task_.config.has_pairs()) peers_values_ = PeerBuffers(parts, buffers_.alternate_values);
    for (std::size_t part = 0; part < peers_keys_.data().size(); ++part) {
      const bool pairs = !peers_values_.data().empty();
      alternates_.push_back(
          {peers_keys_.data()[part], pairs ? peers_values_.data()[part] : nullptr});
    }
    job.alternates = alternates_;
  }

  void restore(std::size_t version) override {
    inputs_[version].copy_to(buffers_.keys.data(), buffers_.values.data());
  }
  void flush_caches() override { sortlab::flush_caches(); }

  const Fingerprint& fingerprint_of(std::size_t version) const override {
    return inputs_[version].fingerprint;
  }
  Findings look(const PartResult& result) override {
    return sortlab::look(buffers_, result.in, task_.config, std::min(result.n, capacity_),
                         task_.instance.traits.stable);
  }
  int overrun() override { return first_overrun(buffers_); }
  void poison() override { sortlab::poison(buffers_); }

 private:
  const Task& task_;
  std::size_t capacity_;
  bool shares_alternate_;
  HostBuffers buffers_;
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

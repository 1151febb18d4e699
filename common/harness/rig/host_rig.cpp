#include "common/harness/rig/host_rig.hpp"

#include <utility>

#include "common/timers.hpp"

namespace sortlab {

HostRig::HostRig(const Task& task, std::size_t misalign, std::size_t workspace_bytes)
    : task_(task), job_(task_.job()) {
  const Config& config = task_.config;
  const auto buffer = [&](std::size_t n, std::size_t bytes) {
    return GuardedBuffer(n * bytes, misalign * bytes);
  };
  buffers_.make_data(config, config.n, buffer);
  const Stopwatch watch;
  if (task_.instance.traits.alternate) buffers_.make_alternate(config, config.n, buffer);
  buffers_.workspace = GuardedBuffer(workspace_bytes);
  alloc_ns_ = watch.elapsed_ns();
  buffers_.attach(job_);
}

void HostRig::restore(const Input& input) {
  input.copy_to(buffers_.keys.data(), buffers_.values.data());
}

void HostRig::sort(Sample& sample) {
  poisoned_ = false;
  // Made here, so that the first sort's heap measurement includes the state, and before the clock
  // starts.
  if (state_ == nullptr && task_.variant.make_state != nullptr) {
    state_.reset(task_.variant.make_state(job_));
    job_.state = state_.get();
  }
  const std::int64_t start = now_ns();
  landed_ = task_.instance.function(sorted_job_);
  sample.total_ns = now_ns() - start;
  sample.alloc_ns = alloc_ns_;
}

Verdict HostRig::verdict(const Input& input) {
  const Findings found =
      look(buffers_, landed_, task_.config, task_.config.n, task_.instance.traits.stable);
  return judged(std::span(&found, 1), input.fingerprint);
}

std::string HostRig::overrun() { return overrun_text(first_overrun(buffers_)); }

void HostRig::poison() {
  if (std::exchange(poisoned_, true)) return;
  sortlab::poison(buffers_);
}

std::span<const std::byte> HostRig::result_keys() const {
  return buffers_.result_keys(landed_).span();
}

std::size_t HostRig::provided_bytes() const { return buffers_.extra_bytes(); }

}  // namespace sortlab

#include "common/harness/rig/host_rig.hpp"

#include <utility>

#include "common/harness/verify/verify_records.hpp"
#include "common/timers.hpp"

namespace sortlab {

HostRig::HostRig(const Task& task, std::size_t misalign) : task_(task), job_(task_.job()) {
  const Config& config = task_.config;
  const std::size_t key_bytes = config.key_bytes();
  keys_ = GuardedBuffer(config.n * key_bytes, misalign * key_bytes);
  const bool pairs = config.has_pairs();
  if (pairs) {
    values_ = GuardedBuffer(config.n * config.value_bytes, misalign * config.value_bytes);
  }

  const Stopwatch watch;
  if (task_.instance.traits.alternate) {
    alternate_keys_ = GuardedBuffer(config.n * key_bytes, misalign * key_bytes);
    if (pairs) {
      alternate_values_ =
          GuardedBuffer(config.n * config.value_bytes, misalign * config.value_bytes);
    }
  }
  workspace_ = GuardedBuffer(task_.workspace_bytes());
  alloc_ns_ = watch.elapsed_ns();

  job_.keys = keys_.data();
  job_.values = values_.data();
  job_.alternate_keys = alternate_keys_.data();
  job_.alternate_values = alternate_values_.data();
  job_.workspace = workspace_.span();
}

void HostRig::restore(const Input& input) { input.copy_to(keys_.data(), values_.data()); }

void HostRig::sort(Sample& sample) {
  poisoned_ = false;
  // Made here, so that the first sort's heap measurement includes the state, and before the clock
  // starts.
  if (state_ == nullptr && task_.instance.make_state != nullptr) {
    state_.reset(task_.instance.make_state(job_));
    job_.state = state_.get();
  }
  const std::int64_t start = now_ns();
  landed_ = task_.instance.sort(job_);
  sample.total_ns = now_ns() - start;
  sample.alloc_ns = alloc_ns_;
}

Verdict HostRig::verdict(const Input& input) {
  const bool in_data = landed_ == ResultIn::data;
  if (task_.config.key_type == KeyType::record) {
    return verify_records({in_data ? job_.keys : job_.alternate_keys, task_.config.record},
                          task_.config.n, input.fingerprint, task_.instance.traits.stable);
  }
  return verify(task_.config.key_type, task_.config.order,
                in_data ? job_.keys : job_.alternate_keys,
                in_data ? job_.values : job_.alternate_values, task_.config.n, input.fingerprint,
                task_.instance.traits.stable);
}

std::string HostRig::overrun() {
  const std::pair<const char*, const GuardedBuffer*> buffers[] = {
      {"keys", &keys_},
      {"values", &values_},
      {"alternate keys", &alternate_keys_},
      {"alternate values", &alternate_values_},
      {"workspace", &workspace_}};
  for (const auto& [name, buffer] : buffers) {
    if (!buffer->red_zones_intact()) return std::string("wrote outside of its ") + name;
  }
  return "";
}

void HostRig::poison() {
  if (std::exchange(poisoned_, true)) return;
  alternate_keys_.poison();
  alternate_values_.poison();
  workspace_.poison();
}

std::span<const std::byte> HostRig::result_keys() const {
  return landed_ == ResultIn::data ? keys_.span() : alternate_keys_.span();
}

std::size_t HostRig::provided_bytes() const {
  return alternate_keys_.size() + alternate_values_.size() + workspace_.size();
}

}  // namespace sortlab

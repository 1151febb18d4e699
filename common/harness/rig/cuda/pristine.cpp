#include "common/harness/rig/cuda/pristine.hpp"

#include "common/harness/rig/cuda/handles.hpp"

namespace sortlab::device {
namespace {

DeviceBuffer copy_of(const GuardedBuffer& host) {
  DeviceBuffer copy(host.size());
  if (host.size() > 0) {
    check(cudaMemcpy(copy.data(), host.data(), host.size(), cudaMemcpyHostToDevice),
          "cudaMemcpy of the input");
    // From pageable memory the call may return before the copy has arrived, and the streams that
    // read it don't wait for this one.
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }
  return copy;
}

}  // namespace

PristineInputs& PristineInputs::instance() {
  // Never destroyed, because at the end of the process CUDA may already be shut down.
  static auto* const inputs = new PristineInputs;
  return *inputs;
}

const PristineInputs::Copy& PristineInputs::of(const Input& input) {
  const std::scoped_lock lock(mutex_);
  const std::weak_ptr<const void> identity = input.identity;
  if (const auto kept = copies_.find(identity); kept != copies_.end()) return kept->second;
  erase_outdated();
  Copy copy{copy_of(input.keys), copy_of(input.values)};
  return copies_.emplace(identity, std::move(copy)).first->second;
}

void PristineInputs::drop_outdated() {
  const std::scoped_lock lock(mutex_);
  erase_outdated();
}

void PristineInputs::erase_outdated() {
  std::erase_if(copies_, [](const auto& entry) { return entry.first.expired(); });
}

std::size_t PristineInputs::bytes() const {
  const std::scoped_lock lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [identity, copy] : copies_) sum += copy.keys.size() + copy.values.size();
  return sum;
}

}  // namespace sortlab::device

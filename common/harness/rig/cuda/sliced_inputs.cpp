#include "common/harness/rig/cuda/sliced_inputs.hpp"

#include <algorithm>

#include "common/cuda_check.hpp"

namespace sortlab::device {
namespace {

constexpr std::size_t kItemsAPiece = std::size_t{1} << 24;

void copy_to_device(std::byte* to, const GuardedBuffer& from) {
  if (from.size() == 0) return;
  check(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice),
        "cudaMemcpy of the input");
}

}  // namespace

InputSlice make_input_slice(const Config& config, std::uint64_t seed, const Slice& slice) {
  InputSlice made{DeviceBuffer(slice.count * config.key_bytes()),
                  DeviceBuffer(slice.count * config.value_bytes),
                  {}};
  for (std::size_t done = 0; done < slice.count;) {
    const std::size_t count = std::min(slice.count - done, kItemsAPiece);
    const Input piece = make_slice(config, seed, {slice.first + done, count, slice.n});
    copy_to_device(made.keys.data() + done * config.key_bytes(), piece.keys);
    copy_to_device(made.values.data() + done * config.value_bytes, piece.values);
    // From pageable memory the call may return before the copy has arrived.
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    made.fingerprint = together(made.fingerprint, piece.fingerprint);
    done += count;
  }
  return made;
}

SlicedInputs& SlicedInputs::instance() {
  // Never destroyed, because at the end of the process CUDA may already be shut down.
  static auto* const inputs = new SlicedInputs;
  return *inputs;
}

const std::vector<InputSlice>& SlicedInputs::of(const Input& input, const Config& config,
                                                const std::vector<Slice>& slices) {
  const std::weak_ptr<const void> identity = input.identity;
  if (const auto kept = kept_.find(identity); kept != kept_.end()) return kept->second.slices;
  drop_outdated();
  Kept made{config.devices, {}};
  for (std::size_t part = 0; part < slices.size(); ++part) {
    const OnDevice here(config.devices[part]);
    made.slices.push_back(make_input_slice(config, config.seed, slices[part]));
  }
  return kept_.emplace(identity, std::move(made)).first->second.slices;
}

void SlicedInputs::drop_outdated() {
  std::erase_if(kept_, [](const auto& entry) { return entry.first.expired(); });
}

std::size_t SlicedInputs::bytes_on(int device) const {
  std::size_t sum = 0;
  for (const auto& [identity, kept] : kept_) {
    for (std::size_t part = 0; part < kept.slices.size(); ++part) {
      if (kept.devices[part] != device) continue;
      sum += kept.slices[part].keys.size() + kept.slices[part].values.size();
    }
  }
  return sum;
}

}  // namespace sortlab::device

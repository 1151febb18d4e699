// Copies of inputs on GPUs (kept_inputs.hpp).
#include "common/harness/rig/cuda/kept_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_check.hpp"
#include "common/harness/rig/cuda/device_rig.hpp"

namespace sortlab::device {
namespace {

constexpr std::size_t kItemsAPiece = std::size_t{1} << 24;

void copy_to_device(std::byte* to, const GuardedBuffer& from) {
  if (from.size() == 0) return;
  check(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice),
        "cudaMemcpy of the input");
  // From pageable memory the call may return before the copy has arrived, and the streams that
  // read it don't wait for this one.
  check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

InputSlice copy_of(const Input& input) {
  InputSlice made{DeviceBuffer(input.keys.size()), DeviceBuffer(input.values.size()),
                  input.fingerprint};
  copy_to_device(made.keys.data(), input.keys);
  copy_to_device(made.values.data(), input.values);
  return made;
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
    made.fingerprint = together(made.fingerprint, piece.fingerprint);
    done += count;
  }
  return made;
}

KeptInputs& KeptInputs::instance() {
  // Never destroyed, because at the end of the process CUDA may already be shut down.
  static auto* const inputs = new KeptInputs;
  return *inputs;
}

const InputSlice& KeptInputs::of(const Input& input) {
  return find_or_make(input, {current_device()}, [&](std::size_t) { return copy_of(input); })
      .front();
}

const std::vector<InputSlice>& KeptInputs::of(const Input& input, const Config& config,
                                              const std::vector<Slice>& slices) {
  return find_or_make(input, config.devices, [&](std::size_t part) {
    return make_input_slice(config, config.seed, slices[part]);
  });
}

const std::vector<InputSlice>& KeptInputs::find_or_make(
    const Input& input, const Devices& devices,
    const std::function<InputSlice(std::size_t)>& make) {
  const std::scoped_lock lock(mutex_);
  const std::weak_ptr<const void> identity = input.identity;
  if (const auto kept = kept_.find(identity); kept != kept_.end()) return kept->second.slices;
  erase_outdated();
  Kept made{devices, {}};
  for (std::size_t part = 0; part < devices.size(); ++part) {
    const OnDevice here(devices[part]);
    made.slices.push_back(make(part));
  }
  return kept_.emplace(identity, std::move(made)).first->second.slices;
}

void KeptInputs::drop_outdated() {
  const std::scoped_lock lock(mutex_);
  erase_outdated();
}

void KeptInputs::erase_outdated() {
  std::erase_if(kept_, [](const auto& entry) { return entry.first.expired(); });
}

std::size_t KeptInputs::bytes_on(int device) const {
  std::size_t sum = 0;
  for (const auto& [identity, kept] : kept_) {
    for (std::size_t part = 0; part < kept.slices.size(); ++part) {
      if (kept.devices[part] != device) continue;
      sum += kept.slices[part].keys.size() + kept.slices[part].values.size();
    }
  }
  return sum;
}

std::string KeptInputs::lacks(std::size_t needed, int device, std::string_view where) {
  const OnDevice here(device);
  const std::scoped_lock lock(mutex_);
  erase_outdated();
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  const std::size_t available = free + bytes_on(device);
  if (needed <= available) return "";
  return fmt::format("needs {:.2f} GiB on {}, {:.2f} are available",
                     static_cast<double>(needed) / (1u << 30), where,
                     static_cast<double>(available) / (1u << 30));
}

}  // namespace sortlab::device

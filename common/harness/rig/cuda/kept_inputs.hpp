// Inputs in the memory of GPUs: whole, or each part's slice on its own GPU. Kept from one variant to the next, so that a
// sample begins with a copy on the device instead of one over PCIe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"

namespace sortlab::device {

/// The items of an input, or those of a part.
struct InputSlice {
  DeviceBuffer keys;
  DeviceBuffer values;
  Fingerprint fingerprint;
};

/// Makes a slice on the current GPU. Key i is a function of (i, n, seed), so the host makes it piece by piece, copies each
/// to the GPU, and never holds more than one. Throws OutOfDeviceMemory.
InputSlice make_input_slice(const Config& config, std::uint64_t seed, const Slice& slice);

/// The inputs of this process that are kept on GPUs. An input is found by its identity.
class KeptInputs {
 public:
  /// The only object of this process.
  static KeptInputs& instance();

  /// A copy of `input` on the current GPU; makes it if there is none. Throws OutOfDeviceMemory.
  const InputSlice& of(const Input& input);
  /// The slices of `config`'s parts, which `input` stands for; makes them if there are none. slices[p]
  /// says which items part p holds. Throws OutOfDeviceMemory.
  const std::vector<InputSlice>& of(const Input& input, const Config& config,
                                    const std::vector<Slice>& slices);

  /// Frees the inputs that no longer exist.
  void drop_outdated();
  /// "" or, in one line, that a GPU lacks memory for `needed` bytes. What is kept there counts as free: a configuration
  /// uses it, or it is dropped before.
  std::string lacks(std::size_t needed, int device, std::string_view where);

 private:
  struct Kept {
    Devices devices;
    std::vector<InputSlice> slices;
  };
  const std::vector<InputSlice>& find_or_make(const Input& input, const Devices& devices,
                                              const std::function<InputSlice(std::size_t)>& make);
  // With the lock held:
  void erase_outdated();
  std::size_t bytes_on(int device) const;

  std::mutex mutex_;
  std::map<std::weak_ptr<const void>, Kept, std::owner_less<>> kept_;
};

/// Smaller inputs are not kept: there may be hundreds of them, and their copy over PCIe takes no
/// longer than a few launches.
inline constexpr std::size_t kWorthKeeping = std::size_t{1} << 20;

}  // namespace sortlab::device

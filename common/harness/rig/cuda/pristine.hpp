// Inputs on the device, kept from one variant to the next, so that a sample begins with a device
// copy and not with one over PCIe.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"

namespace sortlab::device {

class PristineInputs {
 public:
  /// The one of this process.
  static PristineInputs& instance();

  struct Copy {
    DeviceBuffer keys;
    DeviceBuffer values;
  };
  /// The device's copy of `input`, made now if there is none. Throws OutOfDeviceMemory.
  const Copy& of(const Input& input);

  /// Frees the copies of inputs that are no more.
  void drop_outdated();
  /// The device memory of all copies.
  std::size_t bytes() const;

 private:
  void erase_outdated();

  mutable std::mutex mutex_;
  std::map<std::weak_ptr<const void>, Copy, std::owner_less<>> copies_;
};

/// Inputs below this size are not worth keeping: there may be hundreds of them, and their way over
/// PCIe takes no longer than a few launches.
inline constexpr std::size_t kWorthKeeping = std::size_t{1} << 20;

}  // namespace sortlab::device

// Keeps inputs on the device from one variant to the next, so that a sample begins with a copy on
// the device instead of one over PCIe.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"

namespace sortlab::device {

class PristineInputs {
 public:
  /// The only object of this process.
  static PristineInputs& instance();

  struct Copy {
    DeviceBuffer keys;
    DeviceBuffer values;
  };
  /// The device's copy of `input`; makes it if there is none. Throws OutOfDeviceMemory.
  const Copy& of(const Input& input);

  /// Frees the copies of inputs that no longer exist.
  void drop_outdated();
  /// The device memory of all copies.
  std::size_t bytes() const;

 private:
  void erase_outdated();

  mutable std::mutex mutex_;
  std::map<std::weak_ptr<const void>, Copy, std::owner_less<>> copies_;
};

/// Smaller inputs are not kept: there may be hundreds of them, and their copy over PCIe takes no
/// longer than a few launches.
inline constexpr std::size_t kWorthKeeping = std::size_t{1} << 20;

}  // namespace sortlab::device

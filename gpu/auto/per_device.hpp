// Something that is made once for each GPU of a process, when it is first asked for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace sortlab::gpu {

/// A T for each device, kept until the program ends. Asking again is one load and locks nothing.
template <class T>
class PerDevice {
 public:
  /// `make` returns a new T.
  template <class Make>
  const T& of(int device, Make make) {
    std::atomic<const T*>& made = all_.at(static_cast<std::size_t>(device));
    if (const T* const known = made.load(std::memory_order_acquire)) return *known;
    const std::lock_guard lock(making_);
    if (made.load(std::memory_order_relaxed) == nullptr) {
      made.store(make(), std::memory_order_release);
    }
    return *made.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kMostDevices = 64;
  std::array<std::atomic<const T*>, kMostDevices> all_{};
  std::mutex making_;
};

}  // namespace sortlab::gpu

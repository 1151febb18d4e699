// An object that is made once per GPU of a process, at its first use.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace sortlab::gpu {

/// One T per device, kept until the program ends. Later uses take one load and no lock.
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

// Device memory that the harness allocates for a variant, between two guard zones.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

namespace sortlab::device {

inline constexpr int kRedZoneByte = 0x5C;
inline constexpr int kPoisonByte = 0xA5;

/// 256-byte aligned device memory (plus `misalign` bytes), with a guard zone on either side that no
/// sort may write. Its contents are undefined.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Throws OutOfDeviceMemory. The caller must still call paint_red_zones().
  explicit DeviceBuffer(std::size_t bytes, std::size_t misalign = 0);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  /// null for a buffer that was never allocated.
  std::byte* data() const { return base_ == nullptr ? nullptr : base_ + kRedZone + misalign_; }
  std::size_t size() const { return bytes_; }
  std::span<std::byte> span() const { return {data(), bytes_}; }

  void paint_red_zones(cudaStream_t stream) const;
  void fill(int byte, cudaStream_t stream) const;

 private:
  friend class RedZoneCheck;
  static constexpr std::size_t kRedZone = 4096;

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t misalign_ = 0;
};

/// compute-sanitizer's initcheck takes poisoned memory for initialized: then SORTLAB_NO_POISON is set.
bool poison_is_wanted();

/// Writes more than the L2 of the current device holds.
class CacheFlush {
 public:
  void flush(cudaStream_t stream);

 private:
  DeviceBuffer other_data_;  // once there was a flush
};

/// Checks the guard zones of several buffers with one launch.
class RedZoneCheck {
 public:
  static constexpr std::size_t kMostBuffers = 8;

  RedZoneCheck();
  /// The index of the first buffer whose guard zones were written; -1: none. Waits for the stream.
  int first_overrun(std::span<const DeviceBuffer* const> buffers, cudaStream_t stream) const;

 private:
  DeviceBuffer found_;
};

}  // namespace sortlab::device

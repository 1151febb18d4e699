// The caller's memory, cut into arrays.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::cuda::detail {

/// First take() all arrays, then finish(). Without memory it only counts.
class TempLayout {
 public:
  /// What a call without arrays asks for: it needs an address, and writes nothing there.
  static constexpr std::size_t kBytesOfNothing = 256;

  explicit TempLayout(void* d_temp) : is_query_(d_temp == nullptr), layout_(aligned(d_temp)) {}

  template <class T>
  T* take(std::size_t count) {
    return layout_.template take<T>(count);
  }
  /// What the call returns at once: success where it was only asked for the bytes, an error where it has too
  /// few; nothing where the sort can begin.
  std::optional<cudaError_t> finish(std::size_t& temp_bytes) const {
    const std::size_t needed = layout_.bytes() + kAlignment;
    if (is_query_) {
      temp_bytes = needed;
      return cudaSuccess;
    }
    if (temp_bytes < needed) return cudaErrorInvalidValue;
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kAlignment = kBytesOfNothing;
  static std::byte* aligned(void* d_temp) {
    const auto address = reinterpret_cast<std::uintptr_t>(d_temp);
    return reinterpret_cast<std::byte*>((address + kAlignment - 1) / kAlignment * kAlignment);
  }

  bool is_query_;
  gpu::Layout layout_;
};

}  // namespace sortlab::cuda::detail

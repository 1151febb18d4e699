// Cuts the workspace that the harness provides into arrays.
#pragma once

#include <cstddef>

namespace sortlab::gpu {

/// A list of arrays: first told how large each is, then, laid over the workspace, where each
/// begins.
class Layout {
 public:
  /// Without a workspace it only counts bytes.
  explicit Layout(std::byte* base = nullptr) : base_(base) {}

  /// The next array, of `count` elements.
  template <class T>
  T* take(std::size_t count) {
    constexpr std::size_t kAlignment = 256;
    T* const array = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + bytes_);
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return array;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* base_;
  std::size_t bytes_ = 0;
};

}  // namespace sortlab::gpu

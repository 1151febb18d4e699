// Cuts the workspace that the harness provides into arrays.
#pragma once

#include <cstddef>

namespace sortlab::gpu {

/// A list of arrays: first it adds up how large they are, then, laid over the workspace, it returns where each begins.
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

/// The bytes for a sort of any number of items up to `most`, of which bytes_of(n) says what n take. These may be more for
/// fewer items, as another sort or smaller tiles are chosen: so this asks on the way down, in steps in which one choice
/// grows by a quarter.
template <class BytesOf>
std::size_t bytes_up_to(std::size_t most, BytesOf bytes_of) {
  std::size_t bytes = 0;
  for (std::size_t n = most; n > 0; n = n * 4 / 5) {
    const std::size_t its = bytes_of(n);
    if (its > bytes) bytes = its;
  }
  return bytes + bytes / 4;
}

}  // namespace sortlab::gpu

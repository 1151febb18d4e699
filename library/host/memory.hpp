// Where a sort's memory comes from: the caller's scratch, a sorter, or one allocation per call.
#pragma once

#include <sortlab/sortlab.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "library/host/auto_sort.hpp"

namespace sortlab::library {

/// The caller lent less than the sort needs.
struct SmallScratch {};

/// Throws std::bad_alloc.
inline std::byte* allocate(std::size_t bytes) {
  void* const memory = bytes > SIZE_MAX - kAlignment ? nullptr
                                                     : std::aligned_alloc(kAlignment, aligned(bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

}  // namespace sortlab::library

/// The block that a sorter keeps.
struct sortlab_sorter {
  sortlab_sorter() = default;
  ~sortlab_sorter() { std::free(memory_); }
  sortlab_sorter(const sortlab_sorter&) = delete;
  sortlab_sorter& operator=(const sortlab_sorter&) = delete;

  /// Throws std::bad_alloc. What the block held is lost.
  std::byte* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      std::free(memory_);
      memory_ = nullptr;
      bytes_ = 0;
      memory_ = sortlab::library::allocate(bytes);
      bytes_ = bytes;
    }
    return memory_;
  }

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

namespace sortlab::library {

/// `bytes` of memory, aligned to kAlignment, while it lives.
class Memory {
 public:
  /// Throws SmallScratch or std::bad_alloc.
  Memory(const sortlab_options& options, std::size_t bytes) {
    if (bytes == 0) return;
    if (options.scratch != nullptr) {
      const auto begin = reinterpret_cast<std::uintptr_t>(options.scratch);
      const std::size_t skipped = (kAlignment - begin % kAlignment) % kAlignment;
      if (options.scratch_bytes < skipped || options.scratch_bytes - skipped < bytes) {
        throw SmallScratch();
      }
      data_ = static_cast<std::byte*>(options.scratch) + skipped;
    } else if (options.sorter != nullptr) {
      data_ = options.sorter->at_least(bytes);
    } else {
      data_ = own_ = allocate(bytes);
    }
  }
  ~Memory() { std::free(own_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::byte* own_ = nullptr;
};

}  // namespace sortlab::library

// The sources of a sort's memory: the caller's scratch, a sorter, or one allocation per call.
#pragma once

#include <sortlab/sortlab.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

#include "library/host/auto_sort.hpp"

namespace sortlab::library {

/// The caller's scratch memory is too small for the sort.
struct SmallScratch {};

/// A block of the heap whose usable part is aligned. malloc() with room to spare takes less time than an
/// aligned allocation. Large blocks ask for huge pages: the system takes about as long to make small ones
/// and to take them back as the sort takes.
class Block {
 public:
  Block() = default;
  ~Block() { std::free(memory_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Resizes it to `bytes`, without its content. Throws std::bad_alloc, and is empty then.
  std::byte* allocate(std::size_t bytes) {
    std::free(memory_);
    memory_ = nullptr;
    if (bytes < SIZE_MAX - kHugePage) memory_ = bytes < kWorthHugePages ? few(bytes) : many(bytes);
    if (memory_ == nullptr) throw std::bad_alloc();
    return begin();
  }
  std::byte* begin() const {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_);
    return static_cast<std::byte*>(memory_) + (kAlignment - address % kAlignment) % kAlignment;
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  /// The C library keeps freed blocks of fewer bytes, and maps larger ones anew in each call.
  static constexpr std::size_t kWorthHugePages = std::size_t{32} << 20;

  static void* few(std::size_t bytes) { return std::malloc(bytes + kAlignment - 1); }
  static void* many(std::size_t bytes) {
    const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    void* const memory = std::aligned_alloc(kHugePage, rounded);
    if (memory != nullptr) (void)madvise(memory, rounded, MADV_HUGEPAGE);
    return memory;
  }

  void* memory_ = nullptr;
};

}  // namespace sortlab::library

/// The block that a sorter keeps.
struct sortlab_sorter {
  /// Throws std::bad_alloc. The block's content is lost.
  std::byte* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      bytes_ = 0;
      block_.allocate(bytes);
      bytes_ = bytes;
    }
    return block_.begin();
  }

 private:
  sortlab::library::Block block_;
  std::size_t bytes_ = 0;
};

namespace sortlab::library {

/// `bytes` of memory, aligned to kAlignment, during its lifetime.
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
      data_ = own_.allocate(bytes);
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  Block own_;
};

}  // namespace sortlab::library

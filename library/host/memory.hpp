// The sources of a sort's memory: the caller's scratch, a sorter, or one allocation per call.
#pragma once

#include <sortlab/sortlab.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "library/host/auto_sort.hpp"

namespace sortlab::library {

// The memory of large sorts, which the process keeps from one sort to the next: the system takes up to a
// quarter of a sort's time to make its pages and to take them back.
//
//   take_mapping() -> the sort -> give_back() -> kept -> take_mapping() of any thread
//
// Kept memory is marked by MADV_FREE: if other programs need memory, the system takes these pages
// without writing them to a disk; otherwise the next sort finds them in place. All functions may be
// called from several threads at once, and wait for none.

/// Whole huge pages.
struct Mapping {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// At least `bytes` with undefined content: a kept mapping, or a new one. Throws std::bad_alloc.
Mapping take_mapping(std::size_t bytes);

/// Keeps the mapping, or returns it to the system if that exceeds the limit. `used`: the size that was asked for.
void give_back(Mapping mapping, std::size_t used) noexcept;

/// How many bytes are kept now.
std::size_t kept_bytes() noexcept;

/// Limits the bytes that are kept from now on, and releases what is kept.
void keep_at_most(std::size_t bytes) noexcept;

/// Returns what is kept to the system.
void release_kept() noexcept;

/// The caller's scratch memory is too small for the sort.
struct SmallScratch {};

/// A block of memory whose usable part is aligned. Large ones consist of huge pages, and the process
/// keeps them (take_mapping()). The C library keeps smaller ones on its own, and its malloc() with room
/// to spare takes less time than an aligned allocation.
class Block {
 public:
  Block() = default;
  ~Block() { release(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Resizes it to `bytes`, without its content. Throws std::bad_alloc, and is empty then.
  std::byte* allocate(std::size_t bytes) {
    release();
    if (bytes >= kWorthMapping) {
      mapping_ = take_mapping(bytes);
      used_ = bytes;
      return begin_ = mapping_.data;
    }
    memory_ = std::malloc(bytes + kAlignment - 1);
    if (memory_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_);
    return begin_ =
               static_cast<std::byte*>(memory_) + (kAlignment - address % kAlignment) % kAlignment;
  }
  std::byte* begin() const { return begin_; }

 private:
  /// The C library maps blocks of 32 MB anew in each call, and smaller ones have no huge pages.
  static constexpr std::size_t kWorthMapping = std::size_t{8} << 20;

  void release() {
    if (mapping_.data != nullptr) give_back(std::exchange(mapping_, {}), used_);
    std::free(std::exchange(memory_, nullptr));
  }

  std::byte* begin_ = nullptr;
  void* memory_ = nullptr;
  Mapping mapping_;
  std::size_t used_ = 0;
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

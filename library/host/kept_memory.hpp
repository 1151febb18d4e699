// The memory of large sorts, which the process keeps from one sort to the next: the system takes up to a
// quarter of a sort's time to make its pages and to take them back.
//
//   take_mapping() -> the sort -> give_back() -> kept -> take_mapping() of any thread
//
// Kept memory is marked by MADV_FREE: if other programs need memory, the system takes these pages
// without writing them to a disk; otherwise the next sort finds them in place. All functions may be
// called from several threads at once, and wait for none.
#pragma once

#include <cstddef>

namespace sortlab::library {

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

}  // namespace sortlab::library

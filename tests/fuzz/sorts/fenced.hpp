// Host memory that ends, or begins, at an inaccessible page.
#pragma once

#include <cstddef>

#include "tests/fuzz/sorts/dice.hpp"

namespace sortlab::fuzz {

/// One buffer of a call. Its pages are kept from one call to the next, so that a small sort needs
/// no system call.
///
///   PROT_NONE | free bytes | the buffer | free bytes | PROT_NONE
///
/// The dice choose the buffer's place: directly before the upper page, directly behind the lower
/// page, or in between. The free bytes next to it hold a pattern that must not change.
class Fenced {
 public:
  Fenced() = default;
  ~Fenced();
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  /// Memory of this many bytes, aligned to a power of two and no more. Its content is left from
  /// earlier calls. Throws std::bad_alloc.
  std::byte* place(std::size_t bytes, std::size_t alignment, Dice& dice);
  /// Whether the pattern is there, or nothing was placed yet.
  bool neighbours_intact() const;

 private:
  void grow(std::size_t bytes);

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;  // between the two pages
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sortlab::fuzz

// Cache lines: what two threads should not both write to, and what leaves past the caches at a time.
#pragma once

#include <cstddef>

namespace sortlab::cpu::primitives {

inline constexpr std::size_t kLineBytes = 64;
template <class Key>
inline constexpr std::size_t kLineKeys = kLineBytes / sizeof(Key);

}  // namespace sortlab::cpu::primitives

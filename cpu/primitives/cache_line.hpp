// Cache lines. Two threads should not write to the same one; a streamed store writes a whole one.
#pragma once

#include <cstddef>

namespace sortlab::cpu::primitives {

inline constexpr std::size_t kLineBytes = 64;
template <class Key>
inline constexpr std::size_t kLineKeys = kLineBytes / sizeof(Key);

}  // namespace sortlab::cpu::primitives

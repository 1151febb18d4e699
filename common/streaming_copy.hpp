// memcpy for bytes that nobody reads soon: stores that pass the caches by. What is overwritten is
// then not read first, and what the caches hold stays there.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sortlab {

inline void streaming_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(to) % kLine;  // the first whole line
  const std::size_t head = std::min(bytes, before);
  if (head > 0) std::memcpy(to, from, head);
  std::size_t i = head;
  for (; i + kLine <= bytes; i += kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(from + i);
    auto* target = reinterpret_cast<__m128i*>(to + i);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();  // such stores become visible to other threads in no order without it
  if (i < bytes) std::memcpy(to + i, from + i, bytes - i);
}

}  // namespace sortlab

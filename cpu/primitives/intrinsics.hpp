// The intrinsics of the architecture (<arm_neon.h>, or <immintrin.h> without GCC 12's false warnings), cache lines, and
// stores that bypass the caches.
//
// GCC's AVX-512 intrinsics pass operands that do not matter as `__Y = __Y`, and the compiler then
// warns of its own header (gcc.gnu.org/PR105593). Only warnings from that header are disabled, so a
// file must first include it through this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/contract/isa_region.hpp"

#if defined(__GNUC__) && !defined(__clang__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wuninitialized"
  #pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(SORTLAB_X86)
  #include <immintrin.h>
#elif defined(SORTLAB_ARM)
  #include <arm_neon.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
  #pragma GCC diagnostic pop
#endif

namespace sortlab::cpu::primitives {

/// Two threads should not write to the same line; a streamed store writes a whole one.
inline constexpr std::size_t kLineBytes = 64;
template <class Key>
inline constexpr std::size_t kLineKeys = kLineBytes / sizeof(Key);

// Stores that bypass the caches, on CPUs that have them: a line that is written completely and not
// read soon need not be fetched first.
//
// Arm's cores detect that whole lines are written, and do not fetch them. So Arm uses ordinary
// stores, as all other architectures do.

#ifdef SORTLAB_X86

using SixteenBytes = __m128i;

inline SixteenBytes load_16(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
inline void store_16(void* to, SixteenBytes bytes) {
  _mm_storeu_si128(static_cast<__m128i*>(to), bytes);
}
/// `to` is aligned to 16 bytes.
inline void stream_16(void* to, SixteenBytes bytes) {
  _mm_stream_si128(static_cast<__m128i*>(to), bytes);
}
inline void stream_word(std::int32_t* to, std::int32_t word) { _mm_stream_si32(to, word); }
inline void stream_word(std::int64_t* to, std::int64_t word) {
  _mm_stream_si64(reinterpret_cast<long long*>(to), word);
}
/// Without it, streamed stores become visible to other threads in any order.
inline void publish_streams() { _mm_sfence(); }

#else

struct SixteenBytes {
  std::uint64_t words[2];
};

inline SixteenBytes load_16(const void* from) {
  SixteenBytes bytes;
  std::memcpy(&bytes, from, sizeof(bytes));
  return bytes;
}
inline void store_16(void* to, SixteenBytes bytes) { std::memcpy(to, &bytes, sizeof(bytes)); }
inline void stream_16(void* to, SixteenBytes bytes) { store_16(to, bytes); }
inline void stream_word(std::int32_t* to, std::int32_t word) { *to = word; }
inline void stream_word(std::int64_t* to, std::int64_t word) { *to = word; }
inline void publish_streams() {}

#endif

}  // namespace sortlab::cpu::primitives

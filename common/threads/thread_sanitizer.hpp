// What a program that ThreadSanitizer watches must know: the library in it is not instrumented, so the sanitizer
// sees what its threads do with the program's items, but not how they wait for each other.
#pragma once

// Weak: null in programs without ThreadSanitizer. Instrumented builds of the library do not call them.
#if !defined(SORTLAB_SANITIZED)
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}
#endif

namespace sortlab::thread_sanitizer {

/// What other threads did before they called release() with this address has happened.
inline void acquire([[maybe_unused]] void* address) {
#if !defined(SORTLAB_SANITIZED)
  if (__tsan_acquire != nullptr) __tsan_acquire(address);
#endif
}

inline void release([[maybe_unused]] void* address) {
#if !defined(SORTLAB_SANITIZED)
  if (__tsan_release != nullptr) __tsan_release(address);
#endif
}

}  // namespace sortlab::thread_sanitizer

// Linux's futex: a thread sleeps until another thread has changed a word.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "common/contract/callers_state.hpp"

namespace sortlab {

using FutexWord = std::atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == sizeof(std::uint32_t) && FutexWord::is_always_lock_free);

/// Sleeps while the word holds `value`; may wake up without a reason.
inline void futex_wait(FutexWord& word, std::uint32_t value) {
  const KeptErrno error;
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

/// Wakes one thread that sleeps at the word.
inline void futex_wake(FutexWord& word) {
  const KeptErrno error;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace sortlab

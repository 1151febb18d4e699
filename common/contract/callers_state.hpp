// What a call must leave as it was for the thread that calls it.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <cfenv>

namespace sortlab {

/// Restores errno.
class KeptErrno {
 public:
  KeptErrno() = default;
  ~KeptErrno() { errno = before_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int before_ = errno;
};

/// During its lifetime pthread_cancel() of this thread waits: a thread that ends in the middle of a region or while it
/// makes a table would leave others waiting, and `noexcept` functions would end the process.
class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Computes as at a program's start, without the caller's rounding and traps. Restores these and the flags.
class DefaultArithmetic {
 public:
  DefaultArithmetic() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultArithmetic() { std::fesetenv(&before_); }
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

 private:
  std::fenv_t before_;
};

/// All of them: for what is done rarely, such as reading files, starting threads and making tables.
struct Undisturbed {
  KeptErrno error;
  NotCancelled cancellation;
  DefaultArithmetic arithmetic;
};

}  // namespace sortlab

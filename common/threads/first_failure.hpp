// The first exception of several threads, which one thread throws again when all have ended.
#pragma once

#include <exception>
#include <mutex>

namespace sortlab::threads {

class FirstFailure {
 public:
  /// Calls f() and keeps what it throws, if nothing was kept before. Any thread may call this.
  template <class F>
  void guard(F f) noexcept {
    try {
      f();
    } catch (...) {
      keep(std::current_exception());
    }
  }
  /// Throws what was kept. All guarded calls must have returned.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void keep(const std::exception_ptr& failure) {
    std::call_once(has_failed_, [&] { failure_ = failure; });
  }

  std::once_flag has_failed_;
  std::exception_ptr failure_;
};

}  // namespace sortlab::threads

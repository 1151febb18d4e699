// A value that is made when it is needed first, and never destroyed.
//
// A static variable of a function has a lock while it is made, and a forked child may find it locked by a thread that
// it does not have. And it is destroyed when the process ends, although other threads and destructors may still sort.
// This one has neither lock nor destructor.
#pragma once

#include <atomic>
#include <memory>

namespace sortlab {

template <class T>
class MadeOnce {
 public:
  /// The value; the first call makes it by make(). Several threads may make one each at the same time: all get the
  /// same, and the others are dropped. If make() throws, the next call tries again.
  template <class Make>
  T& get(Make make) {
    T* const known = value_.load(std::memory_order_acquire);
    if (known != nullptr) [[likely]] {
      return *known;
    }
    std::unique_ptr<T> made(new T(make()));
    T* other = nullptr;
    if (!value_.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel)) {
      return *other;
    }
    return *made.release();
  }

 private:
  std::atomic<T*> value_ = nullptr;
};

}  // namespace sortlab

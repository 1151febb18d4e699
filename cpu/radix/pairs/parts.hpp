// The parts of a sort that are still to be sorted, in the lists of threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cpu/primitives/cache_lines.hpp"
#include "cpu/radix/msd/classifier.hpp"

namespace sortlab::cpu::radix::pairs {

/// Pairs [begin, begin + size) in the order of the result: a bucket, or a part of one.
struct Part {
  std::size_t begin, size;
  // Their keys differ at most in so many low bits; kUnknownWidth: not computed.
  std::int16_t width = 0;
  std::int16_t depth = 0;  // how many partitions they went through
  bool landed = false;     // they are in the result's memory as bits; otherwise packed
  bool streams = false;    // the result bypasses the caches
};

/// Parts that any thread may claim. Only one thread adds some, and not while others claim.
class PartList {
 public:
  void clear() { size_ = claimed_ = 0; }
  bool is_empty() const { return size_ == 0; }

  /// Returns false if there is no room.
  bool push(const Part& part) {
    if (size_ == parts_.size()) return false;
    parts_[size_++] = part;
    return true;
  }
  Part pop() { return parts_[--size_]; }

  /// The next part; null: there is none.
  const Part* claim() {
    const std::size_t i =
        peek() == nullptr ? size_ : next().fetch_add(1, std::memory_order_relaxed);
    return i < size_ ? &parts_[i] : nullptr;
  }
  /// Another thread may claim it first.
  const Part* peek() {
    const std::size_t i = next().load(std::memory_order_relaxed);
    return i < size_ ? &parts_[i] : nullptr;
  }

 private:
  std::atomic_ref<std::size_t> next() { return std::atomic_ref(claimed_); }

  std::size_t size_;
  alignas(primitives::kLineBytes) std::size_t claimed_;
  std::array<Part, msd::kMaxBuckets> parts_;
};

/// The lists of one thread.
class PartLists {
 public:
  void clear() {
    for (PartList& list : lists_) list.clear();
    shared.clear();
    turn_ = 0;
  }
  PartList& now() { return lists_[turn_]; }
  PartList& later() { return lists_[1 - turn_]; }
  /// Later is now.
  void turn() {
    now().clear();
    turn_ = 1 - turn_;
  }

  PartList shared;  // for all threads together; the first thread's

 private:
  std::array<PartList, 2> lists_;
  int turn_;
};

}  // namespace sortlab::cpu::radix::pairs

// Collects sorted pairs of a leaf before they are written to the result.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/all.inl.hpp"
  #include "cpu/radix/pairs/leaf_memory.hpp"
using namespace sortlab::cpu::radix;
using namespace sortlab::cpu::radix::msd;
using namespace sortlab::cpu::radix::pairs;
#endif

template <class Items>
class Staged {
  using Memory = PairLeafMemory<Items>;

 public:
  /// The sorted pairs go to `to`, without gaps.
  Staged(Items to, Memory& memory, const LeafOutput& output)
      : to_(to), memory_(memory), output_(output) {}

  /// The place for up to kMostNumbered sorted pairs, as bits, and up to a vector more.
  Items room() {
    if (staged_ >= kLeastStaged) leave();
    return {memory_.keys + staged_, memory_.values + staged_};
  }
  /// Tells how many were written.
  void add(std::size_t n) { staged_ += n; }

  /// Writes all of them to the result; returns the place of its next pairs.
  Items leave() {
    if (output_.restore != nullptr) output_.restore(memory_.keys, staged_);
    move(to_.keys, memory_.keys, staged_);
    move(to_.values, memory_.values, staged_);
    to_ = to_.from(staged_);
    staged_ = 0;
    return to_;
  }
  /// To be called after leave(): the result has the values of n pairs with this key. Adds their
  /// keys.
  void add_alike(typename Items::Key key, std::size_t n) {
    std::fill_n(to_.keys, n, key);
    if (output_.restore != nullptr) output_.restore(to_.keys, n);
    to_ = to_.from(n);
  }

 private:
  template <class T>
  void move(T* to, const T* from, std::size_t n) const {
    using L = Lanes<std::int32_t>;
    if (!output_.stream) return void(std::memcpy(to, from, n * sizeof(T)));
    constexpr std::size_t kLine = kLineBytes / sizeof(T);
    const std::size_t before = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % kLine;
    const std::size_t head = std::min(n, before == 0 ? 0 : kLine - before);
    std::copy_n(from, head, to);
    std::size_t i = head;
    for (; i + kLine <= n; i += kLine) {
      const auto* const source = reinterpret_cast<const std::int32_t*>(from + i);
      auto* const target = reinterpret_cast<std::int32_t*>(to + i);
      for (std::size_t k = 0; k < kLineBytes / sizeof(std::int32_t); k += L::kCount) {
        L::stream(target + k, L::load(source + k));
      }
    }
    std::copy_n(from + i, n - i, to + i);
  }

  Items to_;
  Memory& memory_;
  const LeafOutput& output_;
  std::size_t staged_ = 0;
};

// Writes sorted keys for cpu/radix/simd.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
#endif

/// Collects sorted keys and writes them as whole cache lines, which may bypass the caches.
template <class Key>
class Output {
  using L = Lanes<Key>;
  static constexpr std::size_t kLine = kLineKeys<Key>;

 public:
  static constexpr std::size_t kMost = 1024;  // keys at a time

  Output(Key* to, bool stream) : stream_(stream) {
    skip_ = reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % kLine;
    line_ = to - skip_;
    filled_ = skip_;
  }
  /// The place where kMost keys may be written.
  Key* room() { return staged_ + filled_; }
  /// Takes n keys from that place.
  void take(std::size_t n) {
    filled_ += n;
    if (filled_ < kLine) return;
    std::size_t i = 0;
    if (skip_ != 0) {  // the line may belong to another thread, too
      std::copy_n(staged_ + skip_, kLine - skip_, line_ + skip_);
      skip_ = 0;
      i = kLine;
    }
    const std::size_t full = filled_ / kLine * kLine;
    if (stream_) {
      for (; i < full; i += L::kCount) L::stream(line_ + i, L::load(staged_ + i));
    } else {
      for (; i < full; i += L::kCount) L::store(line_ + i, L::load(staged_ + i));
    }
    line_ += full;
    filled_ -= full;
    for (std::size_t k = 0; k < kLine; k += L::kCount) {
      L::store(staged_ + k, L::load(staged_ + full + k));
    }
  }
  void finish() {
    if (filled_ > skip_) std::copy_n(staged_ + skip_, filled_ - skip_, line_ + skip_);
    primitives::publish_streams();
  }

 private:
  Key* line_;
  std::size_t filled_, skip_;  // skip_ keys at the front of the line belong to others
  bool stream_;
  alignas(kLineBytes) Key staged_[kMost + 2 * kLine];
};

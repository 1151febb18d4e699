// Random choices. Each uses the next word of a sequence.
#pragma once

#include <cstdint>

#include "common/harness/input/random.hpp"

namespace sortlab::fuzz {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint64_t word() { return random_word(seed_, stream_, next_++); }
  /// 0 .. bound-1
  std::uint64_t below(std::uint64_t bound) { return scale_below(word(), bound); }
  bool one_in(std::uint64_t times) { return below(times) == 0; }
  /// 0 .. 2^bits - 1, where each length in bits is as likely as any other.
  std::uint64_t of_any_length(unsigned bits) {
    const std::uint64_t length = below(bits + 1);
    return length == 0 ? 0 : word() >> (64 - length);
  }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::uint64_t seed_, stream_, next_ = 0;
};

}  // namespace sortlab::fuzz

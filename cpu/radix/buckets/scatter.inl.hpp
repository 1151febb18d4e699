// Scatters keys to slots by a digit, with or without counting.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include <cmath>

  #include "cpu/primitives/simd/coding.inl.hpp"
  #include "cpu/radix/buckets/bucket.hpp"
using namespace sortlab::cpu::radix::buckets;
#endif

/// Calls visit(key, digit) for n keys, and prefetches the memory at `ahead`.
template <bool kRaw, class Key, class Code, class DigitOf, class Visit>
SORTLAB_INLINE void for_each_key(const Key* from, std::size_t n, const DigitOf& digit_of,
                                 const Code& code, const Key* ahead, Visit visit) {
  constexpr std::size_t kLine = kLineKeys<Key>;
  const DigitOf local = digit_of;  // nothing that `visit` writes to
  const auto one = [&](std::size_t i) {
    const Key key = kRaw ? code.encode_one(from[i]) : from[i];
    visit(key, local(key));
  };
  std::size_t i = 0;
  for (; i + kLine <= n; i += kLine) {
    __builtin_prefetch(ahead + i);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kLine; ++k) one(i + k);
  }
  for (; i < n; ++i) one(i);
}

/// Writes n keys, or the part of them that Slots store, to the places of their digits in scratch.
template <bool kRaw, class Slots, class Key, class Code, class DigitOf>
void scatter(const Key* from, std::size_t n, const DigitOf& digit_of, ThreadState<Key>& state,
             const Code& code, const Key* ahead) {
  auto* const scratch = state.template scratch_of<typename Slots::Stored>();
  std::uint32_t* const place = state.place;
  for_each_key<kRaw>(from, n, digit_of, code, ahead, [=](Key key, std::uint32_t digit) {
    scratch[place[digit]++] = Slots::stored(key);
  });
}
template <bool kRaw, class Key, class Code, class DigitOf>
void count(const Key* from, std::size_t n, const DigitOf& digit_of, ThreadState<Key>& state,
           const Code& code) {
  std::uint32_t* const place = state.place;
  for_each_key<kRaw>(from, n, digit_of, code, from,
                     [=](Key, std::uint32_t digit) { ++place[digit]; });
}

/// Room for a slot of `mean` keys on average, with `in_front` before it: seven standard deviations
/// more, and an odd number of lines, so that slots do not share the same sets of a cache.
inline std::size_t slot_room(std::size_t mean, std::size_t in_front, std::size_t line) {
  const auto deviation = static_cast<std::size_t>(std::sqrt(static_cast<double>(mean)));
  return ((mean + 7 * deviation + 8 + in_front) / line | 1) * line;
}
template <class Key>
void begin_slots(ThreadState<Key>& state, std::size_t slots, std::size_t room,
                 std::size_t in_front) {
  for (std::size_t s = 0; s < slots; ++s) {
    state.first[s] = static_cast<std::uint32_t>(s * room + in_front);
  }
  std::copy_n(state.first, slots, state.place);
}
/// Whether no slot has outgrown its room.
template <class Key>
bool all_fit(const ThreadState<Key>& state, std::size_t slots, std::size_t room) {
  std::uint32_t most = 0;
  for (std::size_t s = 0; s < slots; ++s) most = std::max(most, state.place[s] - state.first[s]);
  return most <= room;
}
/// Sizes the slots for the counted keys.
template <class Key>
void begin_counted_slots(ThreadState<Key>& state, std::size_t slots, std::size_t in_front) {
  std::uint32_t next = 0;
  for (std::size_t s = 0; s < slots; ++s) {
    next += static_cast<std::uint32_t>(in_front);
    state.first[s] = next;
    next += std::exchange(state.place[s], next);
  }
}

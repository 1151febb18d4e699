// Sorts a bucket in cache for cpu/radix/simd: distributes it to slots and sorts these one after the
// other.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
  #include "cpu/radix/simd/narrow_slots.inl.hpp"
  #include "cpu/radix/simd/output.inl.hpp"
  #include "cpu/radix/simd/pass_slots.inl.hpp"
  #include "cpu/radix/simd/pieces.inl.hpp"
  #include "cpu/radix/simd/scatter.inl.hpp"
  #include "cpu/radix/simd/whole_slots.inl.hpp"
#endif

template <class Key, bool kFloat>
struct BucketSort {
  using Code = Coding<Key, kFloat>;
  using State = ThreadState<Key>;
  using Cache = CacheSort<Key, kFloat>;
  static constexpr std::size_t kLanes = Lanes<Key>::kCount, kLine = kLineKeys<Key>;

  /// Appends a slot's keys, sorted, to the output; there is room for twice as many from `other` on.
  template <class Slots>
  static void sort_slot(const typename Slots::Stored* slot, std::size_t n, const Range<Key>& range,
                        Key* other, Output<Key>& output, const Code& code) {
    if (n == 0) return;
    if (Slots::sort(slot, output.room(), n, range, code)) return output.take(n);
    for (std::size_t i = 0; i < n; ++i) other[i] = Slots::whole(slot[i], range);
    Cache::template sort<false>(other, other, n, code);
    constexpr std::size_t kAtATime = Output<Key>::kMost / kLine * kLine;
    for (std::size_t i = 0; i < n; i += kAtATime) {
      const std::size_t m = std::min(kAtATime, n - i);
      std::copy_n(other + i, m, output.room());
      output.take(m);
    }
  }

  /// Sorts the n <= kMostInCache keys of a bucket, all within the range, to `to` as the user's.
  ///
  ///   blocks   | . . . . | . . . . | ..
  ///   scratch  | slot 0: . . .  | slot 1: . . .  | ...
  ///   to       | slot 0, sorted | slot 1, sorted | ...
  template <bool kRaw, class Slots>
  static void sort_by_slots(const Bucket<Key>& bucket, std::size_t slots, const Range<Key>& range,
                            State& state, Key* to, const Code& code, bool stream) {
    using Stored = typename Slots::Stored;
    const std::size_t n = bucket.n;
    const Digits<Key> digits = Digits<Key>::of(range, slots);
    const auto digit_of = [digits](Key key) { return digits.of_key_within(key); };
    const std::size_t room = slot_room(n / slots, 0, kLineBytes / sizeof(Stored));
    // After two failed buckets only every eighth bucket is tried.
    const bool tried = state.uneven < 2 || ++state.skipped % 8 == 0;
    if (!tried || (slots * room + n) * sizeof(Stored) > kScratchBytes) {
      return sort_by_pivots<kRaw>(bucket, state, to, code);
    }
    begin_slots(state, slots, room, 0);
    for_each_piece(bucket, [&](const Key* keys, std::size_t m, const Key* ahead) {
      scatter<kRaw, Slots>(keys, m, digit_of, state, code, ahead);
    });
    state.uneven = all_fit(state, slots, room) ? 0 : state.uneven + 1;
    if (state.uneven > 0) return sort_by_pivots<kRaw>(bucket, state, to, code);
    const std::size_t end = slots * room * sizeof(Stored);
    Key* const other = reinterpret_cast<Key*>(state.scratch + round_up(end, kLineBytes));
    Output<Key> output(to, stream);
    const Stored* const scratch = state.template scratch_of<Stored>();
    for (std::size_t s = 0; s < slots; ++s) {
      sort_slot<Slots>(scratch + state.first[s], state.place[s] - state.first[s], digits.part(s),
                       other, output, code);
    }
    output.finish();
  }
  /// The same for keys that are not spread evenly enough.
  template <bool kRaw>
  static void sort_by_pivots(const Bucket<Key>& bucket, State& state, Key* to, const Code& code) {
    Key* const gathered = state.scratch_of();
    Key* next = gathered;
    for_each_piece(bucket, [&](const Key* keys, std::size_t m, const Key*) {
      next = std::copy_n(keys, m, next);
    });
    Cache::template sort<kRaw>(gathered, to, bucket.n, code);
  }
  /// The same for a range so narrow that there are many copies of each key.
  template <bool kRaw>
  static void fill_counted(const Bucket<Key>& bucket, const Range<Key>& range, State& state,
                           Key* to, const Code& code) {
    std::uint32_t* const counts = state.place;
    std::fill_n(counts, range.last + 1, 0);
    const auto lowest = static_cast<Offset<Key>>(range.lowest);
    for_each_piece(bucket, [&](const Key* keys, std::size_t m, const Key*) {
      for (std::size_t i = 0; i < m; ++i) {
        const Key key = kRaw ? code.encode_one(keys[i]) : keys[i];
        ++counts[static_cast<Offset<Key>>(key) - lowest];
      }
    });
    for (Offset<Key> offset = 0; offset <= range.last; ++offset) {
      const std::size_t m = counts[offset];
      Cache::fill(to, m, static_cast<Key>(lowest + offset), code);
      to += m;
    }
  }

  template <bool kRaw>
  static void sort(const Bucket<Key>& bucket, const Range<Key>& range, State& state, Key* to,
                   const Code& code, bool stream) {
    if (range.last < kMostSlots) return fill_counted<kRaw>(bucket, range, state, to, code);
    using Whole = WholeSlots<Key, kFloat>;
    if constexpr (sizeof(Key) == 4 && kLanes > 1) {
      using Narrow = NarrowSlots<Key, kFloat>;
      const std::size_t slots = Narrow::slots(bucket.n, range.last);
      if (slots > 0 && slots <= kMostSlots) {
        return sort_by_slots<kRaw, Narrow>(bucket, slots, range, state, to, code, stream);
      }
    }
    const std::size_t slots = std::min(Whole::slots(bucket.n), kMostSlots);
    sort_by_slots<kRaw, Whole>(bucket, slots, range, state, to, code, stream);
  }
};

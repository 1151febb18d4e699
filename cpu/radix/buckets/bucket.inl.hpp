// Sorts a bucket in cache: distributes it to slots and sorts these one after the other.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/primitives/simd/lanes.hpp"
#endif

// clang-format off
#include "cpu/radix/buckets/scatter.inl.hpp"
#include "cpu/radix/buckets/slots.inl.hpp"
// clang-format on

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

/// Iterates over a bucket's pieces.
template <class Key>
class Pieces {
 public:
  explicit Pieces(const Bucket<Key>& bucket) : bucket_(bucket) {
    if (bucket.states != nullptr) begin_chain();
  }
  struct Piece {
    const Key* keys;
    std::size_t n;
  };
  Piece next() {
    if (bucket_.states == nullptr) return {bucket_.keys, std::exchange(bucket_.n, 0)};
    while (left_ == 0) {
      if (++thread_ == bucket_.threads) return {nullptr, 0};
      begin_chain();
    }
    const std::size_t n = std::min(left_, kBlockKeys<Key>);
    const Piece piece{reinterpret_cast<const Key*>(bucket_.supply->block(id_)), n};
    left_ -= n;
    if (left_ > 0) id_ = bucket_.supply->following[id_];
    return piece;
  }

 private:
  const Chains<Key>& chains() const { return bucket_.states[thread_].chains; }
  void begin_chain() {
    id_ = chains().head[bucket_.index];
    left_ = chains().counts[bucket_.index];
  }
  Bucket<Key> bucket_;
  int thread_ = 0;
  std::uint32_t id_ = 0;
  std::size_t left_ = 0;
};

/// Calls visit(keys, n, next) for each piece of a bucket; `next` is the following piece.
template <class Key, class Visit>
SORTLAB_INLINE void for_each_piece(const Bucket<Key>& bucket, Visit visit) {
  Pieces<Key> pieces(bucket);
  for (auto piece = pieces.next(); piece.n > 0;) {
    const auto following = pieces.next();
    visit(piece.keys, piece.n, following.n > 0 ? following.keys : piece.keys);
    piece = following;
  }
}

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

// Counts keys of a narrow range, and writes them.
template <class Key, bool kFloat>
struct Counting {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;

  static void count(const Key* from, std::size_t n, const Range<Key>& range, std::uint32_t* counts,
                    std::size_t stride, Key flip) {
    constexpr std::size_t kLine = kLineKeys<Key>, kAhead = 2048 / sizeof(Key);
    const Code code(flip);
    const auto lowest = static_cast<Offset<Key>>(range.lowest), beyond = range.last + 1;
    const auto one = [&](std::size_t i) {
      const auto offset =
          static_cast<Offset<Key>>(static_cast<Offset<Key>>(code.encode_one(from[i])) - lowest);
      ++counts[i % kCountCopies * stride + std::min(offset, beyond)];
    };
    std::size_t i = 0;
    for (; i + kLine <= n; i += kLine) {
      __builtin_prefetch(from + i + kAhead);
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kLine; ++k) one(i + k);
    }
    for (; i < n; ++i) one(i);
  }

  static void write(const std::uint32_t* counts, const Range<Key>& range, std::size_t offset,
                    std::size_t skipped, Key* to, std::size_t n, Key flip, bool stream) {
    const Code code(flip);
    const auto lowest = static_cast<Offset<Key>>(range.lowest);
    Output<Key> output(to, stream);
    for (; n > 0; ++offset) {
      const auto key = L::broadcast(
          code.decode_one(static_cast<Key>(lowest + static_cast<Offset<Key>>(offset))));
      std::size_t left = std::min(counts[offset] - skipped, n);
      skipped = 0;
      n -= left;
      while (left > 0) {
        const std::size_t m = std::min(left, Output<Key>::kMost);
        Key* const room = output.room();
        for (std::size_t i = 0; i < m; i += L::kCount) L::store(room + i, key);
        output.take(m);
        left -= m;
      }
    }
    output.finish();
  }
};

template <class Key, bool kFloat>
struct Kernels {
  using Code = Coding<Key, kFloat>;
  using State = ThreadState<Key>;
  using Cache = CacheSort<Key, kFloat>;
  using Sort = BucketSort<Key, kFloat>;
  using Count = Counting<Key, kFloat>;

  static std::size_t sort_beyond(const Bucket<Key>& bucket, const Range<Key>& range, State& state,
                                 Key* front, Key* end, Key flip) {
    Key* const gathered = state.scratch_of();
    Key* next = gathered;
    std::size_t below = 0;
    for_each_piece(bucket, [&](const Key* keys, std::size_t m, const Key*) {
      for (std::size_t i = 0; i < m; ++i) below += keys[i] < range.lowest;
      next = std::copy_n(keys, m, next);
    });
    const std::size_t n = bucket.n;
    Cache::template sort<false>(gathered, gathered, n, Code(flip));
    std::copy_n(gathered, below, front);
    std::copy_n(gathered + below, n - below, end - (n - below));
    return below;
  }

  static void gather(const Bucket<Key>& bucket, Key* to, Key flip) {
    const Code code(flip);
    Pieces<Key> pieces(bucket);
    for (auto piece = pieces.next(); piece.n > 0; piece = pieces.next()) {
      for (std::size_t i = 0; i < piece.n; ++i) *to++ = code.decode_one(piece.keys[i]);
    }
  }

  static void sort(const Bucket<Key>& bucket, const Range<Key>& range, State& state, Key* to,
                   Key flip, bool stream) {
    const auto sort_it =
        bucket.states == nullptr ? Sort::template sort<true> : Sort::template sort<false>;
    sort_it(bucket, range, state, to, Code(flip), stream);
  }

  static constexpr BucketCalls<Key> calls() {
    return {.sort = sort,
            .sort_beyond = sort_beyond,
            .gather = gather,
            .count = Count::count,
            .write_counted = Count::write};
  }
};

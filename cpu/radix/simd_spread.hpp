// How cpu/radix/simd moves keys: into buckets of memory blocks, and a bucket into slots in cache
// that are sorted one after the other. No include guard: see simd.cpp.

/// Sorted keys on their way to memory: whole cache lines, which may pass by the caches.
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
  /// Where kMost keys may be written.
  Key* room() { return staged_ + filled_; }
  /// Takes n keys from there.
  void take(std::size_t n) {
    filled_ += n;
    if (filled_ < kLine) return;
    std::size_t i = 0;
    if (skip_ != 0) {  // whose line it is else is not known
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
    _mm_sfence();
  }

 private:
  Key* line_;
  std::size_t filled_, skip_;  // skip_ keys at the front of the line are not ours
  bool stream_;
  alignas(kLineBytes) Key staged_[kMost + 2 * kLine];
};

/// Goes through a bucket's pieces.
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

template <class Key, bool kFloat>
struct Buckets {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using State = ThreadState<Key>;
  using Cache = CacheSort<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount, kLine = kLineKeys<Key>;
  static constexpr int kLevels = 24;  // of a quicksort, at most

  // ---- Scatter

  /// Calls visit(key, digit) for n keys; what lies at `ahead` is read soon.
  template <bool kRaw, class DigitOf, class Visit>
  SORTLAB_INLINE void for_each_key(const Key* from, std::size_t n, const DigitOf& digit_of,
                                   const Code& code, const Key* ahead, Visit visit) {
    const DigitOf local = digit_of;  // nothing that `visit` writes to
    const auto one = [&](std::size_t i) {
      const Key key = kRaw ? code.encode_one(from[i]) : from[i];
      visit(key, local(key));
    };
    std::size_t i = 0;
    for (; i + kLine <= n; i += kLine) {
      _mm_prefetch(ahead + i, _MM_HINT_T0);
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kLine; ++k) one(i + k);
    }
    for (; i < n; ++i) one(i);
  }

  /// Writes n keys, or what Slots store of them, to the places of their digits in scratch.
  template <bool kRaw, class Slots = WholeSlots<Key, kFloat>, class DigitOf>
  static void scatter(const Key* from, std::size_t n, const DigitOf& digit_of, State& state,
                      const Code& code, const Key* ahead) {
    auto* const scratch = state.template scratch_of<typename Slots::Stored>();
    std::uint32_t* const place = state.place;
    for_each_key<kRaw>(from, n, digit_of, code, ahead, [=](Key key, std::uint32_t digit) {
      scratch[place[digit]++] = Slots::stored(key);
    });
  }
  template <bool kRaw, class DigitOf>
  static void count(const Key* from, std::size_t n, const DigitOf& digit_of, State& state,
                    const Code& code) {
    std::uint32_t* const place = state.place;
    for_each_key<kRaw>(from, n, digit_of, code, from,
                       [=](Key, std::uint32_t digit) { ++place[digit]; });
  }

  /// Room for a slot of `mean` keys on the average and `in_front` of it: seven standard deviations
  /// more, and an odd number of lines, so that slots do not meet in the same sets of a cache.
  static std::size_t slot_room(std::size_t mean, std::size_t in_front, std::size_t line = kLine) {
    const auto deviation = static_cast<std::size_t>(std::sqrt(static_cast<double>(mean)));
    return ((mean + 7 * deviation + 8 + in_front) / line | 1) * line;
  }
  static void begin_slots(State& state, std::size_t slots, std::size_t room, std::size_t in_front) {
    for (std::size_t s = 0; s < slots; ++s) {
      state.first[s] = static_cast<std::uint32_t>(s * room + in_front);
    }
    std::copy_n(state.first, slots, state.place);
  }
  /// Whether no slot has outgrown its room.
  static bool all_fit(const State& state, std::size_t slots, std::size_t room) {
    std::uint32_t most = 0;
    for (std::size_t s = 0; s < slots; ++s) most = std::max(most, state.place[s] - state.first[s]);
    return most <= room;
  }
  /// Makes room for as many keys as were counted.
  static void begin_counted_slots(State& state, std::size_t slots, std::size_t in_front) {
    std::uint32_t next = 0;
    for (std::size_t s = 0; s < slots; ++s) {
      next += static_cast<std::uint32_t>(in_front);
      state.first[s] = next;
      next += std::exchange(state.place[s], next);
    }
  }

  // ---- Distribution

  /// Appends n keys to a bucket, whole cache lines at a time; the rest waits in chains.lines. What
  /// waited there is put in front of the keys.
  static void append(Chains<Key>& chains, Supply& supply, std::size_t bucket, Key* keys,
                     std::size_t n, bool stream) {
    const std::size_t waiting = chains.counts[bucket] % kLine;
    for (std::size_t i = 0; i < kLine; i += kLanes) {
      L::store(keys - kLine + i, L::load(chains.lines[bucket] + i));
    }
    const Key* line = keys - waiting;
    Key* next = chains.next[bucket];
    for (std::size_t lines = (waiting + n) / kLine; lines > 0; --lines) {
      if (reinterpret_cast<std::uintptr_t>(next) % kBlockBytes == 0) {
        next = chains.add_block(bucket, supply);
      }
      for (std::size_t i = 0; i < kLine; i += kLanes) {
        if (stream) {
          L::stream(next + i, L::load(line + i));
        } else {
          L::store(next + i, L::load(line + i));
        }
      }
      line += kLine;
      next += kLine;
      chains.next[bucket] = next;
    }
    for (std::size_t i = 0; i < kLine; i += kLanes) {
      L::store(chains.lines[bucket] + i, L::load(keys + n - kLine + i));
    }
    chains.counts[bucket] += n;
  }
  static void append_rest(Chains<Key>& chains, Supply& supply, std::size_t bucket) {
    const std::size_t waiting = chains.counts[bucket] % kLine;
    if (waiting == 0) return;
    Key* next = chains.next[bucket];
    if (reinterpret_cast<std::uintptr_t>(next) % kBlockBytes == 0) {
      next = chains.add_block(bucket, supply);
    }
    std::copy_n(chains.lines[bucket] + kLine - waiting, waiting, next);
  }

  /// So many keys that a slot has some lines of them, and all slots a part of a core's own cache;
  /// but some batches for each thread.
  static std::size_t batch_keys(std::size_t n, std::size_t ways) {
    constexpr std::size_t kSlotMean = 64, kBatchBytes = std::size_t{512} << 10;
    const std::size_t most = std::min(ways * kSlotMean, kBatchBytes / sizeof(Key));
    return std::clamp<std::size_t>(n / 64, std::min<std::size_t>(most, 4096), most);
  }

  /// Appends n keys of the user's to their buckets, a batch at a time:
  ///
  ///   from     | 7 2 9 2 ...                      | a batch ...
  ///   scratch  |  | 0 0 .. | |  | 1 1 1 .. |  |   a slot for each digit, scattered without counting
  ///   blocks   | 0 0 0 0 0 0 | 1 1 1 1 1 1 | ..   whole lines of a slot
  ///
  /// Nobody asks whether a slot is full before all of a batch is written: a slot that outgrows its
  /// room spoils the next one, and the batch is scattered again, counted first.
  template <class DigitOf>
  static void distribute(const Key* from, std::size_t n, std::size_t ways, const DigitOf& digit_of,
                         Supply& supply, State& state, const Code& code, bool stream) {
    Chains<Key>& chains = state.chains;
    const std::size_t buckets = ways + 1;  // the last for keys beyond the range
    chains.clear(buckets);
    state.uneven = state.skipped = 0;
    const std::size_t batch = batch_keys(n, ways), room = slot_room(batch / ways + 1, kLine);
    for (;;) {
      const std::size_t i = supply.next_batch.fetch_add(batch, std::memory_order_relaxed);
      if (i >= n) break;
      const std::size_t m = std::min(batch, n - i);
      begin_slots(state, buckets, room, kLine);
      scatter<true>(from + i, m, digit_of, state, code, from + i + kBlockKeys<Key>);
      if (!all_fit(state, buckets, room - kLine)) {
        std::fill_n(state.place, buckets, 0);
        count<true>(from + i, m, digit_of, state, code);
        begin_counted_slots(state, buckets, kLine);
        scatter<true>(from + i, m, digit_of, state, code, from + i);
      }
      Key* const scratch = state.scratch_of();
      for (std::size_t b = 0; b < buckets; ++b) {
        append(chains, supply, b, scratch + state.first[b], state.place[b] - state.first[b],
               stream);
      }
    }
    for (std::size_t b = 0; b < buckets; ++b) append_rest(chains, supply, b);
    _mm_sfence();
  }
  static void distribute(const Key* from, std::size_t n, const Digits<Key>& digits, Supply& supply,
                         State& state, Key flip, bool stream) {
    const auto by = [&](auto digit_of) {
      distribute(from, n, digits.ways, digit_of, supply, state, Code(flip), stream);
    };
    if (digits.range.last == std::numeric_limits<Offset<Key>>::max()) {
      by([digits](Key key) { return digits.of_key_within(key); });
    } else {
      by([digits](Key key) { return digits.of_key(key); });
    }
  }
  static void distribute_by_curve(const Key* from, std::size_t n, const Curve<Key>& curve,
                                  Supply& supply, State& state, Key flip, bool stream) {
    const auto digit_of = [curve](Key key) { return curve.of_key(key); };
    distribute(from, n, curve.ways, digit_of, supply, state, Code(flip), stream);
  }

  // ---- Buckets

  /// Copies a bucket's keys to `to`, as the user's.
  static void gather(const Bucket<Key>& bucket, Key* to, Key flip) {
    const Code code(flip);
    Pieces<Key> pieces(bucket);
    for (auto piece = pieces.next(); piece.n > 0; piece = pieces.next()) {
      for (std::size_t i = 0; i < piece.n; ++i) *to++ = code.decode_one(piece.keys[i]);
    }
  }

  template <class Visit>
  SORTLAB_INLINE void for_each_piece(const Bucket<Key>& bucket, Visit visit) {
    Pieces<Key> pieces(bucket);
    for (auto piece = pieces.next(); piece.n > 0;) {
      const auto following = pieces.next();
      visit(piece.keys, piece.n, following.n > 0 ? following.keys : piece.keys);
      piece = following;
    }
  }

  /// Appends a slot's keys, sorted, to the output; there is room for twice as many from `other` on.
  template <class Slots>
  static void sort_slot(const typename Slots::Stored* slot, std::size_t n, const Range<Key>& range,
                        Key* other, Output<Key>& output, const Code& code) {
    if (n == 0) return;
    if (Slots::sort(slot, output.room(), n, range, code)) return output.take(n);
    for (std::size_t i = 0; i < n; ++i) other[i] = Slots::whole(slot[i], range);
    Cache::template sort<false>(other, other + n, true, n, kLevels, code);
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
    // After two buckets that were tried in vain only every eighth is tried.
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
  template <bool kRaw>
  static void sort_bucket(const Bucket<Key>& bucket, const Range<Key>& range, State& state, Key* to,
                          const Code& code, bool stream) {
    if (range.last < kMostSlots) return fill_counted<kRaw>(bucket, range, state, to, code);
    using Whole = WholeSlots<Key, kFloat>;
    if constexpr (sizeof(Key) == 4 && kLanes > 1) {
      using Narrow = NarrowSlots<kFloat>;
      const std::size_t slots = Narrow::slots(bucket.n, range.last);
      if (slots > 0 && slots <= kMostSlots) {
        return sort_by_slots<kRaw, Narrow>(bucket, slots, range, state, to, code, stream);
      }
    }
    const std::size_t slots = std::min(Whole::slots(bucket.n), kMostSlots);
    sort_by_slots<kRaw, Whole>(bucket, slots, range, state, to, code, stream);
  }

  /// The same for keys that are not spread evenly enough.
  template <bool kRaw>
  static void sort_by_pivots(const Bucket<Key>& bucket, State& state, Key* to, const Code& code) {
    Key* const gathered = state.scratch_of();
    Key* next = gathered;
    for_each_piece(bucket, [&](const Key* keys, std::size_t m, const Key*) {
      next = std::copy_n(keys, m, next);
    });
    Cache::template sort<kRaw>(gathered, to, false, bucket.n, kLevels, code);
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

  static void sort_bucket(const Bucket<Key>& bucket, const Range<Key>& range, State& state, Key* to,
                          Key flip, bool stream) {
    const auto sort = bucket.states == nullptr ? sort_bucket<true> : sort_bucket<false>;
    sort(bucket, range, state, to, Code(flip), stream);
  }

  // ---- What comes first and last

  using Plain = CacheSort<Key, false>;

  /// Sorts a bucket's keys as signed integers, of which some are below `range` and all others above
  /// it, to both ends of the user's keys; returns how many are below.
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
    Cache::template sort<false>(gathered, next, true, n, kLevels, Code(flip));
    std::copy_n(gathered, below, front);
    std::copy_n(gathered + below, n - below, end - (n - below));
    return below;
  }

  /// A sorted sample as signed integers, to `sample`; as much room is behind it.
  static void take_sample(const Key* from, std::size_t n, Key* sample, std::size_t count,
                          Key flip) {
    Cache::template take_sample<true>(from, n, sample, count, Code(flip));
    Plain::template sort<false>(sample, sample + count, true, count, kLevels,
                                typename Plain::Code(0));
  }
  /// The range of the keys.
  static Range<Key> range_of(const Key* keys, std::size_t n, Key flip) {
    const Code code(flip);
    Key least = code.encode_one(keys[0]), greatest = least;
    auto some = code.encode(L::broadcast(keys[0])), least_some = some, greatest_some = some;
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      some = code.encode(L::load(keys + i));
      auto other = some;
      L::order(least_some, other);
      L::order(some, greatest_some);
    }
    alignas(64) Key both[2 * kLanes];
    L::store(both, least_some);
    L::store(both + kLanes, greatest_some);
    for (std::size_t k = 0; k < kLanes; ++k) {
      least = std::min(least, both[k]);
      greatest = std::max(greatest, both[kLanes + k]);
    }
    for (; i < n; ++i) {
      const Key key = code.encode_one(keys[i]);
      least = std::min(least, key);
      greatest = std::max(greatest, key);
    }
    return {least, static_cast<Offset<Key>>(static_cast<Offset<Key>>(greatest) -
                                            static_cast<Offset<Key>>(least))};
  }
  static void sort_few(Key* keys, Key* other, std::size_t n, Key flip) {
    Cache::template sort<true>(keys, other, true, n, kLevels, Code(flip));
  }

  static constexpr Calls<Key> calls() {
    return {look<Key, kFloat>, take_sample, range_of, distribute, distribute_by_curve,
            sort_bucket,       sort_beyond, sort_few, gather};
  }
};

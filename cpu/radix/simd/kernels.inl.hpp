// The kernels of cpu/radix/simd, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/radix/simd/state.hpp"
using namespace sortlab::cpu::radix::simd;
#endif

// clang-format off
#include "cpu/primitives/simd/coding.inl.hpp"
#include "cpu/radix/buckets/scatter.inl.hpp"
// clang-format on

// Distributes keys into buckets, which are chains of memory blocks, for cpu/radix/simd.
template <class Key, bool kFloat>
struct Distribution {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using State = ThreadState<Key>;
  struct Slots {
    using Stored = Key;
    static Stored stored(Key key) { return key; }
  };
  static constexpr std::size_t kLanes = L::kCount, kLine = kLineKeys<Key>;

  /// Appends n keys to a bucket in whole cache lines; the rest waits in chains.lines. Keys that
  /// waited there are put in front of these keys.
  SORTLAB_INLINE void append(Chains<Key>& chains, Supply& supply, std::size_t bucket, Key* keys,
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

  /// The keys of a batch: a slot gets some lines of them, and all slots take a part of a core's own
  /// cache, but there are some batches per thread.
  static std::size_t batch_keys(std::size_t n, std::size_t ways) {
    constexpr std::size_t kSlotMean = 64, kBatchBytes = std::size_t{512} << 10;
    const std::size_t most = std::min(ways * kSlotMean, kBatchBytes / sizeof(Key));
    return std::clamp<std::size_t>(n / 64, std::min<std::size_t>(most, 4096), most);
  }

  /// Scatters a batch to slots in scratch. Returns whether each slot had room for its keys.
  template <class DigitOf>
  static bool scatter_evenly(const Key* from, std::size_t n, std::size_t buckets, std::size_t room,
                             const DigitOf& digit_of, State& state, const Code& code) {
    begin_slots(state, buckets, room, kLine);
    scatter<true, Slots>(from, n, digit_of, state, code, from + kBlockKeys<Key>);
    return all_fit(state, buckets, room - kLine);
  }
  template <class DigitOf>
  static void scatter_counted(const Key* from, std::size_t n, std::size_t buckets,
                              const DigitOf& digit_of, State& state, const Code& code) {
    std::fill_n(state.place, buckets, 0);
    count<true>(from, n, digit_of, state, code);
    begin_counted_slots(state, buckets, kLine);
    scatter<true, Slots>(from, n, digit_of, state, code, from);
  }

  /// Whether a batch seems to be in order or in reverse order, except for few keys.
  static bool comes_in_order(const Key* from, std::size_t n, Key flip) {
    constexpr std::size_t kProbes = 8, kProbe = 32;
    if (n < kProbes * kProbe) return false;
    std::size_t in_order = 0;
    for (std::size_t p = 0; p < kProbes; ++p) {
      in_order += look<Key, kFloat>(from + n / kProbes * p, kProbe, flip) != 0;
    }
    return in_order + 1 >= kProbes;
  }
  /// Appends n keys that are (nearly) in order to their buckets, as runs of keys with the same
  /// digit.
  template <class DigitOf>
  static void append_runs(const Key* from, std::size_t n, const DigitOf& digit_of, Supply& supply,
                          State& state, const Code& code, bool stream) {
    constexpr std::size_t kPiece = 64 * kLanes + 1;  // for one call of `look`
    Key* const piece = state.scratch_of() + kLine;
    for (std::size_t i = 0; i < n; i += kPiece) {
      const std::size_t m = std::min(kPiece, n - i);
      std::size_t k = 0;
      for (; k + kLanes <= m; k += kLanes) {
        L::store(piece + k, code.encode(L::load(from + i + k)));
      }
      for (; k < m; ++k) piece[k] = code.encode_one(from[i + k]);
      std::uint32_t digit = digit_of(piece[0]);
      std::size_t begin = 0;
      if (digit_of(piece[m - 1]) != digit || look<Key, false>(piece, m, 0) == 0) {
        for (k = 1; k < m; ++k) {
          const std::uint32_t another = digit_of(piece[k]);
          if (another == digit) continue;
          append(state.chains, supply, digit, piece + begin, k - begin, stream);
          digit = another;
          begin = k;
        }
      }
      append(state.chains, supply, digit, piece + begin, m - begin, stream);
    }
  }

  /// Appends n keys of the user's to their buckets, a batch at a time:
  ///
  ///   from     | 7 2 9 2 ...                      | a batch ...
  ///   scratch  |  | 0 0 .. | |  | 1 1 1 .. |  |   one slot per digit, scattered without counting
  ///   blocks   | 0 0 0 0 0 0 | 1 1 1 1 1 1 | ..   whole lines of a slot
  ///
  /// Slots are checked only after the whole batch is written. A slot that outgrows its room
  /// overwrites the next one; then the batch is counted and scattered again. After two such batches
  /// in a row only every eighth batch is tried without counting.
  template <class DigitOf>
  static void distribute(const Key* from, std::size_t n, std::size_t ways, const DigitOf& digit_of,
                         Supply& supply, State& state, Key flip, bool stream) {
    const Code code(flip);
    Chains<Key>& chains = state.chains;
    const std::size_t buckets = ways + 1;  // the last for keys beyond the range
    chains.clear(buckets);
    state.uneven = state.skipped = 0;
    std::size_t uneven = 0, skipped = 0;
    const std::size_t batch = batch_keys(n, ways), room = slot_room(batch / ways + 1, kLine, kLine);
    for (;;) {
      const std::size_t i = supply.next_batch.fetch_add(batch, std::memory_order_relaxed);
      if (i >= n) break;
      const std::size_t m = std::min(batch, n - i);
      if (comes_in_order(from + i, m, flip)) {
        append_runs(from + i, m, digit_of, supply, state, code, stream);
        continue;
      }
      const bool tried = uneven < 2 || ++skipped % 8 == 0;
      if (tried && scatter_evenly(from + i, m, buckets, room, digit_of, state, code)) {
        uneven = 0;
      } else {
        ++uneven;
        scatter_counted(from + i, m, buckets, digit_of, state, code);
      }
      Key* const scratch = state.scratch_of();
      for (std::size_t b = 0; b < buckets; ++b) {
        append(chains, supply, b, scratch + state.first[b], state.place[b] - state.first[b],
               stream);
      }
    }
    for (std::size_t b = 0; b < buckets; ++b) append_rest(chains, supply, b);
    primitives::publish_streams();
  }
  static void by_parts(const Key* from, std::size_t n, const Digits<Key>& digits, Supply& supply,
                       State& state, Key flip, bool stream) {
    const auto by = [&](auto digit_of) {
      distribute(from, n, digits.ways, digit_of, supply, state, flip, stream);
    };
    if (digits.range.last == std::numeric_limits<Offset<Key>>::max()) {
      by([digits](Key key) { return digits.of_key_within(key); });
    } else {
      by([digits](Key key) { return digits.of_key(key); });
    }
  }
  static void by_curve(const Key* from, std::size_t n, const Curve<Key>& curve, Supply& supply,
                       State& state, Key flip, bool stream) {
    const auto digit_of = [curve](Key key) { return curve.of_key(key); };
    distribute(from, n, curve.ways, digit_of, supply, state, flip, stream);
  }
};

template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using Distribute = Distribution<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;
  /// measured: uniform, 1 thread, Mkeys/s: u32 2^18, 2^19, 2^20 379, 346, 321 (in pieces) vs 268, 239, 278
  /// (distributed), u64 2^20 192 vs 179; AVX2: u32 2^19 273 vs 216; emr2, results/emr2/one_thread.csv
  static constexpr std::size_t kVectorBytes = kLanes * sizeof(Key);
  static constexpr std::size_t kMostBytesInPieces = std::size_t{kVectorBytes == 64   ? 8
                                                                : kVectorBytes == 32 ? 2
                                                                                     : 0}
                                                    << 20;

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
  static bool neighbours_are_close(const Key* keys, std::size_t n, Offset<Key> near, Key flip) {
    constexpr std::size_t kLooks = 64;
    const Code code(flip);
    std::size_t close = 0;
    for (std::size_t i = 0; i < kLooks; ++i) {
      const Key* const two = keys + i * (n / kLooks);
      const Key a = code.encode_one(two[0]), b = code.encode_one(two[1]);
      close += static_cast<Offset<Key>>(static_cast<Offset<Key>>(std::max(a, b)) -
                                        static_cast<Offset<Key>>(std::min(a, b))) <= near;
    }
    return close >= kLooks / 2;
  }

  static constexpr Calls<Key> calls() {
    return {.neighbours_are_close = neighbours_are_close,
            .range_of = range_of,
            .distribute = Distribute::by_parts,
            .distribute_by_curve = Distribute::by_curve,
            .most_bytes_in_pieces = kMostBytesInPieces};
  }
};

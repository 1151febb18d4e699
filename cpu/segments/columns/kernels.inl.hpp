// The kernels of cpu/segments/columns, for the vectors of one instruction set.
//
// Lane s of row i holds item i of segment s. So a comparison of two rows compares two places of all segments. Rows are
// sorted in groups that fit into registers; then groups are merged, in the flip form of the bitonic network: each stage
// begins with a comparison of each half with the other half's mirror image.
//
//   segment 0 | a b c d      row 0 | a e i m       transposed by exchanges of a bit of the lane with a bit of the row,
//   segment 1 | e f g h  ->  row 1 | b f j n       after the keys are read and before they are written
//   segment 2 | i j k l      row 2 | c g k o
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/segments/columns/calls.hpp"
using namespace sortlab::cpu::segments::columns;
#endif

using primitives::simd::kNetwork;

/// Keys alone in the lanes of a row.
template <class Key>
struct Alone {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr int kVectors = 1;
  static constexpr bool kGivesPlaces = false;
  Vector key;

  static Alone made(Vector key, Key) { return {key}; }
  Vector result() const { return key; }
  SORTLAB_INLINE void order(Alone& a, Alone& b) { L::order(a.key, b.key); }
};

/// The same in the upper halves of numbers, with the place of each in the lower half.
template <class Key>
struct Packed {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr int kVectors = 1;
  static constexpr bool kGivesPlaces = true;
  Vector both;

  static Packed made(Vector key, Key place) { return {L::bit_xor(key, L::broadcast(place))}; }
  Vector result() const { return L::bit_and(both, L::broadcast(0xFFFFFFFF)); }
  SORTLAB_INLINE void order(Packed& a, Packed& b) { L::order(a.both, b.both); }
};

/// Keys with their places, which decide among equal keys.
template <class Key>
struct Placed {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr int kVectors = 2;
  static constexpr bool kGivesPlaces = true;
  Vector key, place;

  static Placed made(Vector key, Key place) { return {key, L::broadcast(place)}; }
  Vector result() const { return place; }
  SORTLAB_INLINE void order(Placed& a, Placed& b) {
    const auto swap = (a.key > b.key) | ((a.key == b.key) & (a.place > b.place));
    const Placed before = a;
    a = {swap ? b.key : a.key, swap ? b.place : a.place};
    b = {swap ? before.key : b.key, swap ? before.place : b.place};
  }
};

/// The user's keys as signed integers, and back.
template <class Key, bool kFloat>
class Formed {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;

 public:
  explicit Formed(const Form<Key>& form)
      : form_(form),
        flips_(L::broadcast(form.flip)),
        shifts_(L::broadcast(form.shift)),
        back_(L::broadcast(negated(form.shift))) {}

  Vector encode(Vector v) const {
    v = L::bit_xor(magnitude(v), flips_);
    return kFloat ? L::subtract(v, shifts_) : v;
  }
  Vector decode(Vector v) const {
    if constexpr (kFloat) v = L::subtract(v, back_);
    return magnitude(L::bit_xor(v, flips_));
  }
  /// Inlined, so that it is compiled for this instruction set.
  [[gnu::always_inline]] Key encode_one(Key key) const { return rank_of<Key, kFloat>(key, form_); }

 private:
  static Key negated(Key key) {
    return static_cast<Key>(0 - static_cast<std::make_unsigned_t<Key>>(key));
  }
  static Vector magnitude(Vector v) {
    if constexpr (!kFloat) return v;
    return L::bit_xor(v, L::bit_and(L::signs(v), L::broadcast(kGreatest<Key>)));
  }
  Form<Key> form_;
  Vector flips_, shifts_, back_;
};

/// A segment for each lane, anywhere: up to so many, of any lengths. Segment s goes to to[s] when it is sorted.
template <class Key>
struct Scattered {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr std::size_t kLanes = L::kCount;
  const Key* keys;
  const Batch& batch;
  Key* const* to;

  std::size_t longest() const { return batch.longest; }

  /// Items t, t + 1, .. of all segments; places without an item hold the greatest key.
  SORTLAB_INLINE void load(const Scattered& from, std::size_t t, Vector greatest, Vector* v) {
    const Batch& batch = from.batch;
    const std::size_t most = batch.longest > t ? batch.longest - t : 0;
    if (batch.is_even && most >= kLanes) {
      for (std::size_t s = 0; s < kLanes; ++s) v[s] = L::load(from.keys + batch.begins[s] + t);
      return;
    }
    if (batch.is_even) {
      for (std::size_t s = 0; s < kLanes; ++s) {
        v[s] = L::load_some(from.keys + batch.begins[s] + (most == 0 ? 0 : t), most, greatest);
      }
      return;
    }
    for (std::size_t s = 0; s < kLanes; ++s) {
      const std::size_t left = s < batch.count && batch.lengths[s] > t ? batch.lengths[s] - t : 0;
      v[s] = left >= kLanes ? L::load(from.keys + batch.begins[s] + t)
             : left == 0    ? greatest
                            : L::load_some(from.keys + batch.begins[s] + t, left, greatest);
    }
  }
  SORTLAB_INLINE void store(const Scattered& at, std::size_t t, const Vector* v) {
    const Batch& batch = at.batch;
    const std::size_t most = batch.longest > t ? batch.longest - t : 0;
    if (batch.is_even && most >= kLanes) {
      for (std::size_t s = 0; s < kLanes; ++s) L::store(at.to[s] + t, v[s]);
      return;
    }
    if (batch.is_even) {
      for (std::size_t s = 0; s < kLanes; ++s) L::store_some(at.to[s] + t, v[s], most);
      return;
    }
    for (std::size_t s = 0; s < batch.count; ++s) {
      const std::size_t left = batch.lengths[s] > t ? batch.lengths[s] - t : 0;
      if (left >= kLanes) {
        L::store(at.to[s] + t, v[s]);
      } else if (left > 0) {
        L::store_some(at.to[s] + t, v[s], left);
      }
    }
  }
};

/// Contiguous rows, one for each lane. No loop over lanes has a count that the compiler does not
/// know, so all vectors stay in registers.
template <class Key>
struct Together {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr std::size_t kLanes = L::kCount;
  const Key* from;
  Key* to;
  std::size_t columns;

  std::size_t longest() const { return columns; }

  SORTLAB_INLINE void load(const Together& rows, std::size_t t, Vector greatest, Vector* v) {
    load_lanes(rows, t, greatest, v, std::make_index_sequence<kLanes>{});
  }
  SORTLAB_INLINE void store(const Together& rows, std::size_t t, const Vector* v) {
    store_lanes(rows, t, v, std::make_index_sequence<kLanes>{});
  }

 private:
  template <std::size_t... kS>
  SORTLAB_INLINE void load_lanes(const Together& rows, std::size_t t, Vector greatest, Vector* v,
                                 std::index_sequence<kS...>) {
    const std::size_t most = rows.columns > t ? rows.columns - t : 0;
    const Key* const at = rows.from + (most == 0 ? 0 : t);
    if (most >= kLanes) {
      ((v[kS] = L::load(at + kS * rows.columns)), ...);
    } else {
      ((v[kS] = L::load_some(at + kS * rows.columns, most, greatest)), ...);
    }
  }
  template <std::size_t... kS>
  SORTLAB_INLINE void store_lanes(const Together& rows, std::size_t t, const Vector* v,
                                  std::index_sequence<kS...>) {
    const std::size_t most = rows.columns > t ? rows.columns - t : 0;
    Key* const at = rows.to + t;
    if (most >= kLanes) {
      (L::store(at + kS * rows.columns, v[kS]), ...);
    } else if (most > 0) {
      (L::store_some(at + kS * rows.columns, v[kS], most), ...);
    }
  }
};

/// Sorts a segment in each lane.
template <class Key, bool kFloat, template <class> class RowOf, template <class> class SegmentsOf>
class Columns {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Row = RowOf<Key>;
  using Segments = SegmentsOf<Key>;
  using Code = Formed<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;
  static constexpr std::size_t kHalf = static_cast<std::size_t>(L::kRegisters) / Row::kVectors / 2;
  /// The rows of a group: with their half in spare registers for the comparisons. At least a tile of kLanes.
  static constexpr std::size_t kGroup = kHalf > kLanes ? kHalf : kLanes;

 public:
  static void sort(const Segments& segments, const Code& code) {
    const std::size_t n = segments.longest();
    if (n <= 2) return sort_group<2>(segments, code);
    if (n <= 4) return sort_group<4>(segments, code);
    if constexpr (kGroup >= 8) {
      if (n <= 8) return sort_group<8>(segments, code);
    }
    if constexpr (kGroup >= 16) {
      if (n <= 12) return sort_group<12>(segments, code);
      if (n <= 16) return sort_group<16>(segments, code);
    }
    if constexpr (kGroup >= 32) {
      if (n <= 32) return sort_group<32>(segments, code);
    }
    sort_groups(segments, code);
  }

 private:
  template <int kRows>
  [[gnu::noinline]] static void sort_group(const Segments& segments, const Code& code) {
    constexpr std::size_t kTiled = (kRows + kLanes - 1) / kLanes * kLanes;
    Row row[kTiled];
    for (std::size_t t = 0; t < kTiled; t += kLanes) load_tile(segments, code, t, row + t);
    sort_rows<kRows>(row);
    for (std::size_t t = 0; t < kTiled; t += kLanes) store_tile(row + t, segments, code, t);
  }

  /// The first stage, of two groups, goes with the reading: the second group comes in registers.
  [[gnu::noinline]] static void sort_groups(const Segments& segments, const Code& code) {
    alignas(64) Row rows[kMostItems];
    const std::size_t n = (segments.longest() + kGroup - 1) / kGroup * kGroup;
    const bool is_last_stage = n <= 2 * kGroup;
    for (std::size_t g = 0; g < n; g += 2 * kGroup) {
      load_group(segments, code, g, rows + g);
      if (g + kGroup == n) break;
      if (is_last_stage) {
        merge_second<true>(segments, code, 0, rows);
        return store_group(rows, segments, code, 0);
      }
      merge_second<false>(segments, code, g, rows + g);
      clean_group(rows + g);
    }
    std::size_t stage = 4 * kGroup;
    for (; stage < n; stage *= 2) {
      merge(rows, n, stage);
      for (std::size_t g = 0; g < n; g += kGroup) clean_group(rows + g);
    }
    merge(rows, n, stage);
    for (std::size_t g = 0; g < n; g += kGroup) store_group(rows + g, segments, code, g);
  }

  SORTLAB_INLINE void load_sorted(const Segments& segments, const Code& code, std::size_t g,
                                  Row* row) {
    for (std::size_t t = 0; t < kGroup; t += kLanes) load_tile(segments, code, g + t, row + t);
    sort_rows<static_cast<int>(kGroup)>(row);
  }
  [[gnu::noinline]] static void load_group(const Segments& segments, const Code& code,
                                           std::size_t g, Row* to) {
    Row row[kGroup];
    load_sorted(segments, code, g, row);
    for (std::size_t i = 0; i < kGroup; ++i) to[i] = row[i];
  }
  /// Reads and sorts the group behind g, whose rows are sorted in `rows`: leaves the lower half there, bitonic, and sorts the
  /// upper half, which goes behind them, or back to the segments.
  template <bool kIsLast>
  [[gnu::noinline]] static void merge_second(const Segments& segments, const Code& code,
                                             std::size_t g, Row* rows) {
    Row row[kGroup];
    load_sorted(segments, code, g + kGroup, row);
    for (std::size_t i = 0; i < kGroup; ++i) Row::order(rows[kGroup - 1 - i], row[i]);
    clean<0, kGroup>(row);
    if constexpr (kIsLast) {
      store_rows(row, segments, code, g + kGroup);
    } else {
      for (std::size_t i = 0; i < kGroup; ++i) rows[kGroup + i] = row[i];
    }
  }
  [[gnu::noinline]] static void clean_group(Row* rows) {
    Row row[kGroup];
    for (std::size_t i = 0; i < kGroup; ++i) row[i] = rows[i];
    clean<0, kGroup>(row);
    for (std::size_t i = 0; i < kGroup; ++i) rows[i] = row[i];
  }
  [[gnu::noinline]] static void store_group(const Row* rows, const Segments& segments,
                                            const Code& code, std::size_t g) {
    Row row[kGroup];
    for (std::size_t i = 0; i < kGroup; ++i) row[i] = rows[i];
    clean<0, kGroup>(row);
    store_rows(row, segments, code, g);
  }
  SORTLAB_INLINE void store_rows(const Row* row, const Segments& segments, const Code& code,
                                 std::size_t g) {
    for (std::size_t t = 0; t < kGroup; t += kLanes) store_tile(row + t, segments, code, g + t);
  }

  /// All steps of a stage over distances of a group and more. Rows from n on count as greatest keys that never move.
  SORTLAB_INLINE void merge(Row* rows, std::size_t n, std::size_t stage) {
    std::size_t distance = stage / 4;
    if (distance >= kGroup) {  // the flip and the step after it in one pass over the rows
      for (std::size_t b = 0; b < n; b += stage) flip_and_step(rows + b, n - b, stage);
      distance /= 2;
    } else {
      for (std::size_t b = 0; b < n; b += stage) flip(rows + b, n - b, stage);
    }
    for (; distance >= kGroup; distance /= 2) {
      for (std::size_t b = 0; b + distance < n; b += 2 * distance) {
        const std::size_t most = std::min(distance, n - b - distance);
        for (std::size_t i = 0; i < most; ++i) Row::order(rows[b + i], rows[b + i + distance]);
      }
    }
  }
  SORTLAB_INLINE void flip(Row* rows, std::size_t n, std::size_t stage) {
    const std::size_t first =
        stage > n ? stage - n : 0;  // mirror images of rows that are not there
    for (std::size_t i = first; i < stage / 2; ++i) Row::order(rows[i], rows[stage - 1 - i]);
  }
  SORTLAB_INLINE void flip_and_step(Row* rows, std::size_t n, std::size_t stage) {
    const std::size_t half = stage / 2, quarter = stage / 4;
    if (n < stage) {
      flip(rows, n, stage);
      for (std::size_t b = 0; b < stage; b += half) {
        for (std::size_t i = b; i < b + quarter && i + quarter < n; ++i) {
          Row::order(rows[i], rows[i + quarter]);
        }
      }
      return;
    }
    for (std::size_t i = 0; i < quarter; ++i) {
      Row a = rows[i], b = rows[i + quarter];
      Row c = rows[stage - 1 - i - quarter], d = rows[stage - 1 - i];
      Row::order(a, d);
      Row::order(b, c);
      Row::order(a, b);
      Row::order(c, d);
      rows[i] = a;
      rows[i + quarter] = b;
      rows[stage - 1 - i - quarter] = c;
      rows[stage - 1 - i] = d;
    }
  }

  template <int kRows>
  SORTLAB_INLINE void sort_rows(Row* row) {
    if constexpr (kRows <= 16) {
      network<kRows>(row, std::make_index_sequence<kNetwork<kRows>.size()>{});
    } else {
      constexpr std::size_t kHalves = kRows / 2;
      sort_rows<kHalves>(row);
      sort_rows<kHalves>(row + kHalves);
      flip_halves(row, std::make_index_sequence<kHalves>{});
      clean<0, kHalves>(row);
      clean<kHalves, kHalves>(row);
    }
  }
  template <std::size_t... kI>
  SORTLAB_INLINE void flip_halves(Row* row, std::index_sequence<kI...>) {
    (Row::order(row[kI], row[2 * sizeof...(kI) - 1 - kI]), ...);
  }
  template <int kRows, std::size_t... kI>
  SORTLAB_INLINE void network(Row* row, std::index_sequence<kI...>) {
    (Row::order(row[kNetwork<kRows>[kI].a], row[kNetwork<kRows>[kI].b]), ...);
  }
  /// Sorts the bitonic rows [kFirst, kFirst + kCount).
  template <std::size_t kFirst, std::size_t kCount>
  SORTLAB_INLINE void clean(Row* row) {
    if constexpr (kCount > 1) {
      clean_step<kFirst, kCount / 2>(row, std::make_index_sequence<kCount / 2>{});
      clean<kFirst, kCount / 2>(row);
      clean<kFirst + kCount / 2, kCount / 2>(row);
    }
  }
  template <std::size_t kFirst, std::size_t kDistance, std::size_t... kI>
  SORTLAB_INLINE void clean_step(Row* row, std::index_sequence<kI...>) {
    (Row::order(row[kFirst + kI], row[kFirst + kI + kDistance]), ...);
  }

  /// Exchanges all bits of the lane with those of the row.
  template <int kBit = 0>
  SORTLAB_INLINE void transpose(Vector* v) {
    if constexpr (kBit < L::kBits) {
      exchange_rows<kBit>(v, std::make_index_sequence<kLanes / 2>{});
      transpose<kBit + 1>(v);
    }
  }
  template <int kBit, std::size_t... kI>
  SORTLAB_INLINE void exchange_rows(Vector* v, std::index_sequence<kI...>) {
    constexpr std::size_t kLow = (std::size_t{1} << kBit) - 1;
    (L::template exchange<kBit>(v[(kI & ~kLow) * 2 | (kI & kLow)],
                                v[(kI & ~kLow) * 2 | (kI & kLow) | (kLow + 1)]),
     ...);
  }

  SORTLAB_INLINE void load_tile(const Segments& segments, const Code& code, std::size_t t,
                                Row* row) {
    Vector v[kLanes];
    Segments::load(segments, t, code.decode(L::broadcast(kGreatest<Key>)), v);
    transpose(v);
    for (std::size_t i = 0; i < kLanes; ++i) {
      row[i] = Row::made(code.encode(v[i]), static_cast<Key>(t + i));
    }
  }
  SORTLAB_INLINE void store_tile(const Row* row, const Segments& segments, const Code& code,
                                 std::size_t t) {
    Vector v[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
      v[i] = Row::kGivesPlaces ? row[i].result() : code.decode(row[i].result());
    }
    transpose(v);
    Segments::store(segments, t, v);
  }
};

/// Rows of 2, 4, 8 or 16 keys, fewer than lanes: a vector holds several of them, one behind the other, and only bits within a
/// row change places.
template <class Key, bool kFloat, int kColumns>
struct Narrow {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Row = Alone<Key>;
  /// The keys of as many rows as lanes.
  static constexpr std::size_t kKeys = kColumns * L::kCount;

  /// Returns how many of n keys it sorted.
  static std::size_t sort(const Key* from, Key* to, std::size_t n,
                          const Formed<Key, kFloat>& code) {
    std::size_t at = 0;
    for (; at + kKeys <= n; at += kKeys) {
      sort_block(from + at, to + at, code, std::make_index_sequence<kColumns>{},
                 std::make_index_sequence<kNetwork<kColumns>.size()>{});
    }
    return at;
  }

 private:
  template <std::size_t... kI, std::size_t... kPair>
  SORTLAB_INLINE void sort_block(const Key* from, Key* to, const Formed<Key, kFloat>& code,
                                 std::index_sequence<kI...>, std::index_sequence<kPair...>) {
    Vector v[] = {L::load(from + kI * L::kCount)...};
    exchange<0>(v, std::make_index_sequence<kColumns / 2>{});
    Row row[] = {{code.encode(v[kI])}...};
    (Row::order(row[kNetwork<kColumns>[kPair].a], row[kNetwork<kColumns>[kPair].b]), ...);
    ((v[kI] = code.decode(row[kI].key)), ...);
    exchange<0>(v, std::make_index_sequence<kColumns / 2>{});
    (L::store(to + kI * L::kCount, v[kI]), ...);
  }
  template <int kBit, std::size_t... kI>
  SORTLAB_INLINE void exchange(Vector* v, std::index_sequence<kI...> all) {
    if constexpr (1 << kBit < kColumns) {
      constexpr std::size_t kLow = (std::size_t{1} << kBit) - 1;
      (L::template exchange<kBit>(v[(kI & ~kLow) * 2 | (kI & kLow)],
                                  v[(kI & ~kLow) * 2 | (kI & kLow) | (kLow + 1)]),
       ...);
      exchange<kBit + 1>(v, all);
    }
  }
};

template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Code = Formed<Key, kFloat>;

  static void sort_rows(const Key* from, Key* to, std::size_t rows, std::size_t columns,
                        const Form<Key>& form) {
    const Code code(form);
    const std::size_t n = rows * columns;
    std::size_t at = 0;
    if constexpr (L::kCount > 2) {
      if (columns == 2) at = Narrow<Key, kFloat, 2>::sort(from, to, n, code);
    }
    if constexpr (L::kCount > 4) {
      if (columns == 4) at = Narrow<Key, kFloat, 4>::sort(from, to, n, code);
    }
    if constexpr (L::kCount > 8) {
      if (columns == 8) at = Narrow<Key, kFloat, 8>::sort(from, to, n, code);
    }
    if constexpr (L::kCount > 16) {
      if (columns == 16) at = Narrow<Key, kFloat, 16>::sort(from, to, n, code);
    }
    const std::size_t at_once = L::kCount * columns;
    for (; at + at_once <= n; at += at_once) {
      Columns<Key, kFloat, Alone, Together>::sort({from + at, to + at, columns}, code);
    }
    if (at == n) return;
    Batch batch;
    batch.longest = batch.shortest = columns;
    batch.count = (n - at) / columns;
    Key* rows_to[kMostLanes];
    for (std::size_t s = 0; s < batch.count; ++s, at += columns) {
      batch.begins[s] = at;
      batch.lengths[s] = columns;
      rows_to[s] = to + at;
    }
    Columns<Key, kFloat, Alone, Scattered>::sort({from, batch, rows_to}, code);
  }

  static void sort_long_rows(const Key* from, Key* to, std::size_t rows, std::size_t columns,
                             Key flip) {
    const Coding<Key, kFloat> code(flip);
    for (; rows > 0; --rows, from += columns, to += columns) {
      RegisterSort<Key, kFloat>::template sort<true, true>(from, to, columns, code);
    }
  }

  static void sort(Key* keys, const Batch& batch, const Form<Key>& form) {
    Key* to[kMostLanes];
    for (std::size_t s = 0; s < batch.count; ++s) to[s] = keys + batch.begins[s];
    Columns<Key, kFloat, Alone, Scattered>::sort({keys, batch, to}, Code(form));
  }

  static void places(const Key* keys, const Batch& batch, const Form<Key>& form,
                     std::int64_t* memory, std::int64_t* const* to) {
    const Code code(form);
    if constexpr (sizeof(Key) == 8) {
      if (batch.longest >= kLeastNumbers && places_of_numbers(keys, batch, form, memory, to))
        return;
    }
    if (sizeof(Key) == 8 && !form.is_rank) {
      if constexpr (sizeof(Key) == 8)
        Columns<Key, kFloat, Placed, Scattered>::sort({keys, batch, to}, code);
      return;
    }
    // Keys of 4 bytes with their places in one number of 8, and ranks, are made in the memory.
    Batch made = batch;
    std::size_t at = 0;
    for (std::size_t s = 0; s < batch.count; ++s) {
      made.begins[s] = at;
      at += batch.lengths[s];
    }
    const bool is_one_piece =
        batch.is_even && batch.begins[batch.count - 1] == batch.begins[0] + at - batch.longest &&
        std::is_sorted(batch.begins, batch.begins + batch.count);
    if (is_one_piece) {
      make(keys + batch.begins[0], memory, at, code);
    } else {
      for (std::size_t s = 0; s < batch.count; ++s) {
        make(keys + batch.begins[s], memory + made.begins[s], batch.lengths[s], code);
      }
    }
    using Wide = Formed<std::int64_t, false>;
    if constexpr (sizeof(Key) == 4) {
      Columns<std::int64_t, false, Packed, Scattered>::sort({memory, made, to}, Wide({}));
    } else {
      Columns<std::int64_t, false, Placed, Scattered>::sort({memory, made, to}, Wide({}));
    }
  }

  static void encode(const Key* keys, Key* to, std::size_t n, const Form<Key>& form) {
    const Code code(form);
    for (std::size_t i = 0; i < n; ++i) to[i] = code.encode_one(keys[i]);
  }

  static constexpr auto calls() {
    if constexpr (sizeof(Key) > 2) {
      return wide_calls();
    } else if constexpr (L::kCount > 1) {
      return SortNarrowRows{sort_rows};
    } else {
      return SortNarrowRows{nullptr};
    }
  }

 private:
  static constexpr Calls<Key> wide_calls() {
    return {L::kCount,
            Lanes<std::int64_t>::kCount,
            sort,
            sort_rows,
            RegisterSort<Key, kFloat>::kKeys,
            sort_long_rows,
            places,
            encode};
  }

  /// From this length on, numbers with their places take no more time than keys beside their places, for all that they
  /// cost before and behind the network.
  /// measured: argsort of rows of 16, 64 and 256 doubles, ns per key: 2.5, 2.1 and 2.8 (this) vs 2.5, 3.7 and 5.3; Emerald
  /// Rapids, xeon16/attempts/segments.1.txt.xz
  static constexpr std::size_t kLeastNumbers = 12;

  /// Keys of 8 bytes by numbers. Says false if bits that are lost decide; then the places are not written.
  static bool places_of_numbers(const Key* keys, const Batch& batch, const Form<Key>& form,
                                std::int64_t* memory, std::int64_t* const* to) {
    // Copies, in registers: what is written could be theirs for all that the compiler knows.
    const Code code(form);
    Batch made = batch;
    std::size_t n = 0;
    for (std::size_t s = 0; s < batch.count; ++s) {
      const std::size_t length = batch.lengths[s];
      const Key* const from = keys + batch.begins[s];
      for (std::size_t i = 0; i < length; ++i) memory[n + i] = code.encode_one(from[i]);
      made.begins[s] = n;
      n += length;
    }
    const Numbers<std::int64_t> numbers(memory, n, batch.longest);
    for (std::size_t s = 0; s < batch.count; ++s) {
      const std::size_t length = batch.lengths[s];
      std::int64_t* const its = memory + made.begins[s];
      for (std::size_t i = 0; i < length; ++i) {
        its[i] = static_cast<std::int64_t>(numbers.of(its[i], i));
      }
    }
    const Formed<std::int64_t, false> unsigned_ones(
        {.flip = std::numeric_limits<std::int64_t>::min()});
    Columns<std::int64_t, false, Alone, Scattered>::sort({memory, made, to}, unsigned_ones);
    for (std::size_t s = 0; s < batch.count; ++s) {
      const std::size_t length = batch.lengths[s];
      std::int64_t* const its = to[s];
      if (!numbers.are_exact() && hides_order(keys + batch.begins[s], its, length, code, numbers)) {
        return false;
      }
      for (std::size_t i = 0; i < length; ++i) {
        its[i] = static_cast<std::int64_t>(numbers.place(static_cast<std::uint64_t>(its[i])));
      }
    }
    return true;
  }
  /// Whether keys of neighbours differ in bits alone that are lost.
  static bool hides_order(const Key* keys, const std::int64_t* sorted, std::size_t n, Code code,
                          Numbers<std::int64_t> numbers) {
    const auto number = [&](std::size_t i) { return static_cast<std::uint64_t>(sorted[i]); };
    std::uint64_t any = 0;  // as wide as the numbers: in vectors
    for (std::size_t i = 1; i < n; ++i) {
      any |= numbers.may_differ(number(i - 1), number(i)) ? std::uint64_t{1} : std::uint64_t{0};
    }
    for (std::size_t i = 1; any != 0 && i < n; ++i) {
      if (numbers.may_differ(number(i - 1), number(i)) &&
          code.encode_one(keys[numbers.place(number(i - 1))]) !=
              code.encode_one(keys[numbers.place(number(i))])) {
        return true;
      }
    }
    return false;
  }

  SORTLAB_INLINE void make(const Key* keys, std::int64_t* to, std::size_t n, const Code& code) {
    constexpr std::int64_t kUpper = sizeof(Key) == 4 ? std::int64_t{1} << 32 : 1;
    for (std::size_t i = 0; i < n; ++i) to[i] = code.encode_one(keys[i]) * kUpper;
  }
};

// The kernels of cpu/quick/simd, for the vectors of one instruction set. No include guard: it is
// included in each namespace that has Lanes<Key>, sortlab::quick::avx512, avx2 and scalar.
//
// Keys are signed integers in ascending order here. `flip` makes them of the user's keys: see
// Coding.

/// Lanes that no sort needs: what a block is filled up with sorts behind all keys.
template <class Key>
inline constexpr Key kGreatest = std::numeric_limits<Key>::max();

/// The user's keys as signed integers in ascending order, and back. Floats in totalOrder are
/// ordered like their bits as signed integers once the negative ones have their magnitude flipped;
/// the rest (unsigned keys, descending order) is a xor with `flip`.
template <class Key, bool kFloat>
class Coding {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;

 public:
  explicit Coding(Key flip) : flip_(flip), flips_(L::broadcast(flip)) {}
  Vector encode(Vector v) const { return L::bit_xor(magnitude(v), flips_); }
  Vector decode(Vector v) const { return magnitude(L::bit_xor(v, flips_)); }
  Key encode_one(Key key) const { return magnitude_of_one(key) ^ flip_; }
  Key decode_one(Key key) const { return magnitude_of_one(key ^ flip_); }

 private:
  static Vector magnitude(Vector v) {
    if constexpr (!kFloat) return v;
    return L::bit_xor(v, L::bit_and(L::signs(v), L::broadcast(kGreatest<Key>)));
  }
  static Key magnitude_of_one(Key key) {
    if constexpr (!kFloat) return key;
    return key ^ (key >> (8 * sizeof(Key) - 1) & kGreatest<Key>);
  }
  Key flip_;
  Vector flips_;
};

// ---- A block of kRows vectors sorted in registers
//
// Every lane is a column of kRows keys. A network sorts all columns at once; then columns are
// merged two by two, bitonically. Key number c * kRows + r lies in lane c of row r; a merge of
// groups of 2^j columns compares keys whose numbers differ in one bit: first bits j ... 0 of c,
// then those of r.
// Two rows are compared by one minimum and one maximum. So a bit of c has to change places with a
// bit of r before (exchange), and stays there until the next comes in its place.
//
// Every other column is sorted downwards, every other pair of columns, and so on, as bitonic merges
// need it: by flipping the bits of those keys, which turns their order round.

/// Where the bits of c are, as bits of the lane, before merge j: the lanes have been permuted by
/// the exchanges of the merges before.
template <int kBits>
constexpr std::array<int, kBits + 1> lane_bits(int merge) {
  std::array<int, kBits + 1> bits{};
  for (int b = 0; b <= kBits; ++b) bits[b] = b;
  for (int j = 0; j < merge; ++j) {
    const auto before = bits;
    bits[0] = before[j];
    for (int b = 0; b < j; ++b) bits[b + 1] = before[b];
  }
  return bits;
}

/// How a sorted block is brought into sequence: by which exchanges, and in which order the rows are
/// to be stored then.
template <int kBits, int kRows>
struct Sequence {
  static constexpr int kRowBits = std::bit_width(static_cast<unsigned>(kRows - 1));
  static constexpr int kPadded = 1 << kRowBits;
  static constexpr int kLanes = 1 << kBits;

  struct Exchange {
    int lane_bit, row_bit;
  };
  std::array<Exchange, 3 * kBits + 1> exchanges{};
  int exchange_count = 0;
  struct Store {
    int row, place;
  };
  std::array<Store, kPadded> stores{};
  int store_count = 0;

  constexpr Sequence() {
    // Bits of a key's number: of r, as 0, 1, ..; of c, as 16, 17, ..
    std::array<int, kBits + 1> lane{};
    std::array<int, kRowBits> row{};
    const auto bits = lane_bits<kBits>(kBits);
    for (int b = 0; b < kBits; ++b) lane[bits[b]] = 16 + b;
    for (int b = 0; b < kRowBits; ++b) row[b] = b;
    const auto swap_bits = [&](int lane_bit, int row_bit) {
      exchanges[exchange_count++] = {lane_bit, row_bit};
      const int moved = lane[lane_bit];
      lane[lane_bit] = row[row_bit];
      row[row_bit] = moved;
    };
    for (int t = 0; t < kBits; ++t) {
      const int wanted = t < kRowBits ? t : 16 + t - kRowBits;
      for (int b = 0; b < kBits; ++b) {
        if (b != t && lane[b] == wanted) swap_bits(b, t < kRowBits ? t : 0);
      }
      for (int b = 0; b < kRowBits; ++b) {
        if (row[b] == wanted) swap_bits(t, b);
      }
    }
    for (int q = 0; q < kPadded; ++q) {
      int r = 0, c = 0;
      for (int b = 0; b < kRowBits; ++b) {
        if (q >> b & 1) (row[b] < 16 ? r : c) |= 1 << (row[b] & 15);
      }
      if (r < kRows) stores[store_count++] = {q, c * kRows + r};
    }
    for (int i = 1; i < store_count; ++i) {
      for (int k = i; k > 0 && stores[k].place < stores[k - 1].place; --k) {
        const Store moved = stores[k];
        stores[k] = stores[k - 1];
        stores[k - 1] = moved;
      }
    }
  }
};

#define SORTLAB_INLINE [[gnu::always_inline]] static inline

template <class Key, int kRows>
struct Block {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr int kHalf = kRows / 2;
  static constexpr Sequence<L::kBits, kRows> kSequence{};
  static constexpr int kPadded = kSequence.kPadded;
  Vector v[kPadded];

  template <std::size_t... kI>
  [[gnu::always_inline]] void sort_columns(std::index_sequence<kI...>) {
    (L::order(v[kNetwork<kRows>[kI].a], v[kNetwork<kRows>[kI].b]), ...);
  }

  /// Exchanges a bit of the lane with the upper half of the rows.
  template <int kLaneBit, std::size_t... kI>
  [[gnu::always_inline]] void exchange_halves(std::index_sequence<kI...>) {
    (L::template exchange<kLaneBit>(v[kI], v[kI + kHalf]), ...);
  }
  template <int kFirst, int kDistance, std::size_t... kI>
  [[gnu::always_inline]] void order_rows(std::index_sequence<kI...>) {
    (L::order(v[kFirst + kI], v[kFirst + kI + kDistance]), ...);
  }
  /// Sorts the bitonic rows [kFirst, kFirst + kCount) of every lane.
  template <int kFirst, int kCount>
  [[gnu::always_inline]] void clean_rows() {
    if constexpr (kCount == 3) {
      L::order(v[kFirst], v[kFirst + 1]);
      L::order(v[kFirst], v[kFirst + 2]);
      L::order(v[kFirst + 1], v[kFirst + 2]);
    } else if constexpr (kCount > 1) {
      order_rows<kFirst, kCount / 2>(std::make_index_sequence<kCount / 2>{});
      clean_rows<kFirst, kCount / 2>();
      clean_rows<kFirst + kCount / 2, kCount / 2>();
    }
  }

  template <unsigned kBitsOfLane, std::size_t... kI>
  [[gnu::always_inline]] void flip_lanes(std::index_sequence<kI...>) {
    ((v[kI] = L::template flip_lanes<kBitsOfLane>(v[kI])), ...);
  }

  using HalfOfRows = std::make_index_sequence<kHalf>;
  using AllRows = std::make_index_sequence<kRows>;

  /// Compares keys that differ in bit kBit of c, and the bits below it.
  template <int kMerge, int kBit>
  [[gnu::always_inline]] void order_columns() {
    exchange_halves<lane_bits<L::kBits>(kMerge)[kBit]>(HalfOfRows{});
    order_rows<0, kHalf>(HalfOfRows{});
    if constexpr (kBit > 0) order_columns<kMerge, kBit - 1>();
  }
  template <int kMerge>
  [[gnu::always_inline]] void merge_columns() {
    if constexpr (kMerge < L::kBits) {
      constexpr unsigned kUpToNow = 1u << kMerge, kNow = 2u << kMerge & ((1u << L::kBits) - 1);
      flip_lanes<kUpToNow | kNow>(AllRows{});
      order_columns<kMerge, kMerge>();
      exchange_halves<lane_bits<L::kBits>(kMerge)[kMerge]>(HalfOfRows{});
      clean_rows<0, kRows>();
      merge_columns<kMerge + 1>();
    }
  }

  template <int kLaneBit, int kRowBit, std::size_t... kI>
  [[gnu::always_inline]] void exchange_bits(std::index_sequence<kI...>) {
    (exchange_at<kLaneBit, kRowBit, static_cast<int>(kI)>(), ...);
  }
  template <int kLaneBit, int kRowBit, int kRow>
  [[gnu::always_inline]] void exchange_at() {
    if constexpr ((kRow >> kRowBit & 1) == 0) {
      L::template exchange<kLaneBit>(v[kRow], v[kRow + (1 << kRowBit)]);
    }
  }
  template <std::size_t... kI>
  [[gnu::always_inline]] void bring_into_sequence(std::index_sequence<kI...>) {
    (exchange_bits<kSequence.exchanges[kI].lane_bit, kSequence.exchanges[kI].row_bit>(
         std::make_index_sequence<kPadded>{}),
     ...);
  }

  [[gnu::always_inline]] void sort() {
    if constexpr (L::kBits > 0) flip_lanes<1>(AllRows{});
    sort_columns(std::make_index_sequence<kNetwork<kRows>.size()>{});
    merge_columns<0>();
    bring_into_sequence(std::make_index_sequence<kSequence.exchange_count>{});
  }
};

template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// The most keys that are sorted in registers.
  static constexpr std::size_t kBlock = 16 * kLanes;

  // ---- Small sorts

  template <int kRows, int kRow, bool kRaw>
  SORTLAB_INLINE Vector load_row(const Key* from, std::size_t n, const Code& code) {
    constexpr std::ptrdiff_t kBefore = kRow * static_cast<std::ptrdiff_t>(kLanes);
    Vector v;
    if constexpr (kRow < full_rows(kRows)) {
      v = L::load(from + kBefore);
    } else {
      const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(n) - kBefore;
      const auto some = static_cast<std::size_t>(
          std::clamp<std::ptrdiff_t>(left, 0, static_cast<std::ptrdiff_t>(kLanes)));
      Vector others = L::broadcast(kGreatest<Key>);
      if constexpr (kRaw) others = code.decode(others);
      v = L::load_some(from + kBefore, some, others);
    }
    if constexpr (kRaw) v = code.encode(v);
    return v;
  }

  /// As many rows are full whatever n is, or fewer rows would have been taken.
  static constexpr int full_rows(int rows) {
    return rows == 16 ? 12 : rows == 12 ? 8 : rows == 8 ? 4 : rows == 4 ? 2 : 0;
  }

  template <int kRows, int kStore>
  SORTLAB_INLINE void store_row(Key* to, std::size_t n, const Block<Key, kRows>& block,
                                const Code& code) {
    constexpr auto kAt = Block<Key, kRows>::kSequence.stores[kStore];
    constexpr std::size_t kPlace = static_cast<std::size_t>(kAt.place);
    if (kPlace + kLanes <= full_rows(kRows) * kLanes || kPlace + kLanes <= n) {
      L::store(to + kPlace, code.decode(block.v[kAt.row]));
    } else if (kPlace < n) {
      L::store_some(to + kPlace, code.decode(block.v[kAt.row]), n - kPlace);
    }
  }

  template <int kRows, bool kRaw, std::size_t... kRow, std::size_t... kStore>
  SORTLAB_INLINE void sort_block(const Key* from, Key* to, std::size_t n, const Code& code,
                                 std::index_sequence<kRow...>, std::index_sequence<kStore...>) {
    Block<Key, kRows> block{{load_row<kRows, kRow, kRaw>(from, n, code)...}};
    block.sort();
    (store_row<kRows, kStore>(to, n, block, code), ...);
  }
  template <int kRows, bool kRaw>
  [[gnu::noinline]] static void sort_block(const Key* from, Key* to, std::size_t n,
                                           const Code& code) {
    sort_block<kRows, kRaw>(from, to, n, code, std::make_index_sequence<kRows>{},
                            std::make_index_sequence<Block<Key, kRows>::kSequence.store_count>{});
  }

  /// Sorts n <= kBlock keys into `to`, which is `from` or apart from it, as user's keys.
  template <bool kRaw>
  static void sort_small(const Key* from, Key* to, std::size_t n, const Code& code) {
    if (n > 12 * kLanes) return sort_block<16, kRaw>(from, to, n, code);
    if (n > 8 * kLanes) return sort_block<12, kRaw>(from, to, n, code);
    if (n > 4 * kLanes) return sort_block<8, kRaw>(from, to, n, code);
    if (n > 2 * kLanes) return sort_block<4, kRaw>(from, to, n, code);
    if (n > 0) sort_block<2, kRaw>(from, to, n, code);
  }

  // ---- Partition

  template <bool kRaw>
  SORTLAB_INLINE Vector load(const Key* from, const Code& code) {
    const Vector v = L::load(from);
    if constexpr (kRaw) return code.encode(v);
    return v;
  }

  /// Moves n keys of `from` to `to`, those above the pivot behind the others, whose number it
  /// returns.
  ///
  ///   from | read already        | v v v v | ...           |
  ///   to   | not above | free                    | above   |
  ///         right_end - n + i ^           right_end ^
  ///
  /// A vector is stored whole on both sides: so many places are free there as keys are still to be
  /// read, this vector's among them.
  template <bool kRaw>
  static std::size_t partition(const Key* from, Key* to, std::size_t n, Key pivot,
                               const Code& code) {
    if (n < 2 * kLanes) return partition_few<kRaw>(from, to, n, pivot, code);
    const Vector pivots = L::broadcast(pivot);
    Key* right_end = to + n;
    const std::size_t rest = n % kLanes;
    if (rest != 0) {  // first, when there is room enough for whole vectors
      constexpr unsigned kAll = (1u << kLanes) - 1;
      const unsigned ours = kAll & ~(kAll >> rest);
      const Vector v = load<kRaw>(from + n - kLanes, code);
      const unsigned above = L::greater(v, pivots) & ours;
      L::put_left(v, above ^ ours, to);
      right_end -= L::put_right(v, above, right_end);
    }
    const Key* const end = from + n - rest;
    const std::ptrdiff_t to_left =
        static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(rest);
    std::ptrdiff_t i = -to_left;
#pragma GCC unroll 4
    for (; i < 0; i += static_cast<std::ptrdiff_t>(kLanes)) {
      const Vector v = load<kRaw>(end + i, code);
      right_end -= L::part(v, L::greater(v, pivots), right_end + i, right_end);
    }
    return static_cast<std::size_t>(right_end - to);
  }

  template <bool kRaw>
  static std::size_t partition_few(const Key* from, Key* to, std::size_t n, Key pivot,
                                   const Code& code) {
    Key *left = to, *right_end = to + n;
    for (std::size_t i = 0; i < n; ++i) {
      const Key key = kRaw ? code.encode_one(from[i]) : from[i];
      const bool above = key > pivot;
      *left = key;
      right_end[-1] = key;
      left += !above;
      right_end -= above;
    }
    return static_cast<std::size_t>(left - to);
  }

  // ---- Sort in cache

  static void fill(Key* to, std::size_t n, Key key, const Code& code) {
    const Key users = code.decode_one(key);
    const Vector v = L::broadcast(users);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) L::store(to + i, v);
    for (; i < n; ++i) to[i] = users;
  }

  /// About as many keys as a piece should have in the end.
  static constexpr std::size_t kPiece = kBlock * 5 / 8;
  static constexpr int kMostWays = 40;

  /// Into how many pieces n keys are split at a time.
  static int ways(std::size_t n) {
    const std::size_t pieces = n / kPiece + 1;
    if (pieces <= kMostWays) return std::max(4, static_cast<int>(pieces));
    return static_cast<int>(std::clamp<std::size_t>(pieces / (kMostWays / 2), 4, 16));
  }
  static std::size_t sample_size(std::size_t n) {
    return n <= 4 * kBlock ? kBlock / 4 : n <= 8 * kBlock ? kBlock / 2 : kBlock;
  }

  /// Copies `count` keys that lie evenly spread over n, but not at even distances.
  template <bool kRaw>
  static void take_sample(const Key* from, std::size_t n, Key* sample, std::size_t count,
                          const Code& code) {
    const std::size_t step = (n << 16) / count;  // in 65536ths
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t within = step * (i * 40503 & 0xFFFF) >> 16;
      const Key key = from[(i * step + within) >> 16];
      sample[i] = kRaw ? code.encode_one(key) : key;
    }
  }

  /// Sorts n keys of `from` as user's keys, there or into `other`; both are overwritten.
  template <bool kRaw>
  static void sort(Key* from, Key* other, bool in_place, std::size_t n, int levels,
                   const Code& code) {
    if (n <= kBlock) return sort_small<kRaw>(from, in_place ? from : other, n, code);
    if (levels == 0) return sort_by_heap<kRaw>(from, in_place ? from : other, n, code);
    using Plain = Kernels<Key, false>;
    alignas(64) Key sample[kBlock];
    const std::size_t sampled = sample_size(n);
    take_sample<kRaw>(from, n, sample, sampled, code);
    Plain::template sort_small<false>(sample, sample, sampled, typename Plain::Code(0));
    Key keys[kMostWays];
    const Splitters<Key> splitters = choose_splitters(sample, sampled, ways(n), keys);
    split<kRaw>(from, other, in_place, n, splitters, 0, splitters.count, levels - 1, code);
  }

  /// The same for keys of the pieces [first, last] between the splitters.
  template <bool kRaw>
  static void split(Key* from, Key* other, bool in_place, std::size_t n,
                    const Splitters<Key>& splitters, int first, int last, int levels,
                    const Code& code) {
    if (n <= kBlock) return sort_small<kRaw>(from, in_place ? from : other, n, code);
    if constexpr (!kRaw) {
      if (first == last) {
        if (!splitters.all_equal(first)) return sort<false>(from, other, in_place, n, levels, code);
        return fill(in_place ? from : other, n, splitters.upper(first), code);
      }
    }
    const int mid = (first + last) / 2;
    const std::size_t left = partition<kRaw>(from, other, n, splitters.keys[mid], code);
    split<false>(other, from, !in_place, left, splitters, first, mid, levels, code);
    split<false>(other + left, from + left, !in_place, n - left, splitters, mid + 1, last, levels,
                 code);
  }

  template <bool kRaw>
  static void sort_by_heap(const Key* from, Key* to, std::size_t n, const Code& code) {
    for (std::size_t i = 0; i < n; ++i) to[i] = kRaw ? code.encode_one(from[i]) : from[i];
    heap_sort(Items<Key, NoValue>{to, nullptr}, 0, n, std::less{});
    for (std::size_t i = 0; i < n; ++i) to[i] = code.decode_one(to[i]);
  }

  // ---- Distribution into buckets

  static constexpr std::size_t kLine = kLineKeys<Key>;

  SORTLAB_INLINE void copy_line(const Key* from, Key* to) {
    for (std::size_t i = 0; i < kLine; i += kLanes) L::store(to + i, L::load(from + i));
  }
  SORTLAB_INLINE void stream_line(const Key* from, Key* to) {
    for (std::size_t i = 0; i < kLine; i += kLanes) L::stream(to + i, L::load(from + i));
  }

  /// Appends n keys to a bucket, whole cache lines at a time; the rest waits in chains.lines. What
  /// waited there is put in front of the keys, over what is done with.
  static void append(Chains<Key>& chains, int bucket, Key* keys, std::size_t n) {
    const std::size_t waiting = chains.counts[bucket] % kLine;
    copy_line(chains.lines[bucket], keys - kLine);
    const Key* line = keys - waiting;
    Key* next = chains.next[bucket];
    for (std::size_t lines = (waiting + n) / kLine; lines > 0; --lines) {
      if (reinterpret_cast<std::uintptr_t>(next) % kBlockBytes == 0) {
        next = chains.add_block(bucket);
      }
      stream_line(line, next);
      line += kLine;
      next += kLine;
      chains.next[bucket] = next;
    }
    copy_line(keys + n - kLine, chains.lines[bucket]);
    chains.counts[bucket] += n;
  }

  static void append_rest(Chains<Key>& chains, int bucket) {
    const std::size_t waiting = chains.counts[bucket] % kLine;
    if (waiting == 0) return;
    Key* next = chains.next[bucket];
    if (reinterpret_cast<std::uintptr_t>(next) % kBlockBytes == 0) next = chains.add_block(bucket);
    std::copy_n(chains.lines[bucket] + kLine - waiting, waiting, next);
  }

  static void distribute_piece(Key* from, Key* other, std::size_t n,
                               const Splitters<Key>& splitters, int first, int last,
                               Chains<Key>& chains, const Code& code) {
    if (n == 0) return;
    if (first == last) {
      if (!splitters.all_equal(first)) return append(chains, first, from, n);
      chains.counts[first] += n;
      return;
    }
    const int mid = (first + last) / 2;
    const std::size_t left = partition<false>(from, other, n, splitters.keys[mid], code);
    distribute_piece(other, from, left, splitters, first, mid, chains, code);
    distribute_piece(other + left, from + left, n - left, splitters, mid + 1, last, chains, code);
  }

  /// Appends n keys to their buckets, a chunk at a time, which is split in cache.
  template <bool kRaw>
  static void distribute(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                         ThreadState<Key>& state, const Code& code) {
    Chains<Key>& chains = state.chains;
    chains.clear(splitters.count + 1);
    const std::size_t chunk = chunk_keys<Key>(splitters.count + 1);
    Key* const first = state.scratch;
    Key* const second = state.scratch + chunk + kLine;
    const int last = splitters.count, mid = last / 2;
    for (std::size_t i = 0; i < n; i += chunk) {
      const std::size_t m = std::min(chunk, n - i);
      const std::size_t left = partition<kRaw>(from + i, first, m, splitters.keys[mid], code);
      distribute_piece(first, second, left, splitters, 0, mid, chains, code);
      distribute_piece(first + left, second + left, m - left, splitters, mid + 1, last, chains,
                       code);
    }
    for (int b = 0; b <= last; ++b) {
      if (!splitters.all_equal(b)) append_rest(chains, b);
    }
    _mm_sfence();
  }

  /// Copies a bucket's keys of one thread to `to`.
  static void gather(const Chains<Key>& chains, int bucket, Key* to) {
    std::uint32_t id = chains.head[bucket];
    for (std::size_t left = chains.counts[bucket]; left > 0;) {
      const std::size_t m = std::min(left, kBlockKeys<Key>);
      const Key* const block = chains.block(id);
      id = chains.following[id];
      std::size_t i = 0;
      for (; i + kLine <= m; i += kLine) copy_line(block + i, to + i);
      if (i < m) std::copy_n(block + i, m - i, to + i);
      to += m;
      left -= m;
    }
  }

  // ---- What the plan calls: every thread, or one

  static constexpr int kLevels = 24;

  static void sort_raw(Key* keys, Key* other, std::size_t n, Key flip) {
    sort<true>(keys, other, true, n, kLevels, Code(flip));
  }
  static void sort_coded(Key* from, Key* other, bool in_place, std::size_t n, Key flip) {
    sort<false>(from, other, in_place, n, kLevels, Code(flip));
  }
  static void sort_sample(Key* sample, Key* other, std::size_t n) {
    using Plain = Kernels<Key, false>;
    Plain::template sort<false>(sample, other, true, n, kLevels, typename Plain::Code(0));
  }
  static void fill_users(Key* to, std::size_t n, Key key, Key flip) {
    fill(to, n, key, Code(flip));
  }
  static void sample_raw(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip) {
    take_sample<true>(from, n, sample, count, Code(flip));
  }
  static void sample_coded(const Key* from, std::size_t n, Key* sample, std::size_t count,
                           Key flip) {
    take_sample<false>(from, n, sample, count, Code(flip));
  }
  static void distribute_raw(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                             ThreadState<Key>& state, Key flip) {
    distribute<true>(from, n, splitters, state, Code(flip));
  }
  static void distribute_coded(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                               ThreadState<Key>& state, Key flip) {
    distribute<false>(from, n, splitters, state, Code(flip));
  }

  /// Whether n keys are in order (kAscending), in the opposite one (kDescending), both or neither.
  static unsigned look(const Key* keys, std::size_t n, Key flip) {
    constexpr std::size_t kLook = 64 * kLanes;
    const Code code(flip);
    unsigned sequence = kAscending | kDescending;
    std::size_t i = 1;
    for (; i + kLook <= n && sequence != 0; i += kLook) {
      unsigned falls = 0, rises = 0;
      for (std::size_t k = i; k < i + kLook; k += kLanes) {
        const Vector before = load<true>(keys + k - 1, code), at = load<true>(keys + k, code);
        falls |= L::greater(before, at);
        rises |= L::greater(at, before);
      }
      if (falls != 0) sequence &= ~kAscending;
      if (rises != 0) sequence &= ~kDescending;
    }
    for (; i < n && sequence != 0; ++i) {
      const Key before = code.encode_one(keys[i - 1]), at = code.encode_one(keys[i]);
      if (before > at) sequence &= ~kAscending;
      if (at > before) sequence &= ~kDescending;
    }
    return sequence;
  }

  static constexpr Calls<Key> calls() {
    return {look,       sort_raw,     sort_coded,     sort_sample,      fill_users,
            sample_raw, sample_coded, distribute_raw, distribute_coded, gather};
  }
};
#undef SORTLAB_INLINE

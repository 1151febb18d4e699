// The quicksort of cpu/quick/pairs, for the vectors of one instruction set. It is the sort of
// cpu/primitives/simd/cache_sort.inl.hpp, which has the same pieces, for either form of pairs.
//
//   users'  k k k ..  v v v ..     first partition: reads the user's form
//   place   | large piece: partitioned in place          |
//   place   | 16 KiB | ..  spare | 16 KiB |     smaller pieces: from one to the other
//   users'  k k k ..  v v v ..     up to 16 vectors: in registers, and written in the user's form
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/pairs/forms.inl.hpp"
#endif

/// Pairs in memory, read in the form of the sort.
template <class Form>
struct Placed {
  typename Form::Place place;
  typename Form::Vector load(std::size_t i) const { return Form::load(place, i); }
  typename Form::One load_one(std::size_t i) const { return Form::load_one(place, i); }
};
/// The user's pairs.
template <class Form>
struct Unread {
  typename Form::Users users;
  typename Form::Code code;
  typename Form::Vector load(std::size_t i) const { return Form::load(users, i, code); }
  typename Form::One load_one(std::size_t i) const { return Form::load_one(users, i, code); }
};

template <class Form>
struct PairPartition {
  using Key = typename Form::Key;
  using Place = typename Form::Place;
  static constexpr std::size_t kLanes = Form::kLanes;
  static constexpr std::size_t kStride = std::max<std::size_t>(4, 32 / kLanes);
  static constexpr std::size_t kChunk = kStride * kLanes;

  ///   | not above | free | above |
  ///          left ^      ^ right
  struct Ends {
    Place to;
    std::size_t left, right;

    /// kLanes places are free at both ends; a vector is stored at each.
    template <class Vector, class Pivots>
    [[gnu::always_inline]] void put(const Vector& v, const Pivots& pivots) {
      const std::size_t above = Form::part(v, Form::above(v, pivots), to, left, right);
      right -= above;
      left += kLanes - above;
    }
    [[gnu::always_inline]] void put_one(const typename Form::One& one, Key pivot) {
      const bool above = Form::is_above(one, pivot);
      Form::put_one(to, left, one);
      Form::put_one(to, right - 1, one);
      left += !above;
      right -= above;
    }
  };

  /// Moves n pairs to `to`, those above the pivot behind the others. Returns the number of the others.
  /// First those that fill no vector: then the free places are whole vectors, so two stores that
  /// overlap in the last of them agree.
  template <class From>
  static std::size_t to_other(const From& from, Place to, std::size_t n, Key pivot) {
    const auto pivots = Form::pivots(pivot);
    Ends ends{to, 0, n};
    const std::size_t whole = n - n % kLanes;
    for (std::size_t i = whole; i < n; ++i) ends.put_one(from.load_one(i), pivot);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < whole; i += kLanes) ends.put(from.load(i), pivots);
    return ends.left;
  }

  /// The same within `place`, for at least 2 kChunk pairs. `from` reads that memory.
  ///
  ///   | not above | free ..  | not read yet      | .. free | above |
  ///                ^ left     ^ read     read_end ^         ^ right
  ///
  /// Two saved chunks make free space. Reads take pairs from the side with less free space, so a
  /// chunk stays free on both sides.
  template <class From>
  static std::size_t in_place(const From& from, Place place, std::size_t n, Key pivot) {
    typename Form::Vector saved[2 * kStride];
    for (std::size_t i = 0; i < kStride; ++i) {
      saved[i] = from.load(i * kLanes);
      saved[kStride + i] = from.load(n - kChunk + i * kLanes);
    }
    const auto pivots = Form::pivots(pivot);
    Ends ends{place, 0, n};
    std::size_t read = kChunk, read_end = n - kChunk;
    while (read_end - read >= kChunk) {
      std::size_t at;
      if (read - ends.left <= ends.right - read_end) {
        at = read;
        read += kChunk;
      } else {
        read_end -= kChunk;
        at = read_end;
      }
      typename Form::Vector v[kStride];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) v[i] = from.load(at + i * kLanes);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) ends.put(v[i], pivots);
    }
    // The rest is less than a chunk; the saved ones make room for as many whole vectors.
    const std::size_t rest = read_end - read;
    typename Form::One last[kChunk];
    for (std::size_t i = 0; i < rest; ++i) last[i] = from.load_one(read + i);
    for (std::size_t i = 0; i < rest; ++i) ends.put_one(last[i], pivot);
    for (const auto& v : saved) ends.put(v, pivots);
    return ends.left;
  }
};

template <class Form>
struct PairSort {
  using Key = typename Form::Key;
  using Place = typename Form::Place;
  using Users = typename Form::Users;
  using Code = typename Form::Code;
  using Parts = PairPartition<Form>;
  using Plain = CacheSort<Key, false>;
  static constexpr std::size_t kBlock = Form::kBlock;

  static constexpr std::size_t kPiece = kBlock * 5 / 8;
  static constexpr int kMostWays = 40;
  static constexpr int kLevels = 24;

  static int ways(std::size_t n) {
    const std::size_t pieces = n / kPiece + 1;
    if (pieces <= kMostWays) return std::max(4, static_cast<int>(pieces));
    return static_cast<int>(std::clamp<std::size_t>(pieces / (kMostWays / 2), 4, 16));
  }
  static std::size_t sample_size(std::size_t n) {
    return n <= 4 * kBlock ? kBlock / 4 : n <= 8 * kBlock ? kBlock / 2 : kBlock;
  }

  /// Sorts the user's pairs. `room` is for n pairs in the sort's form; columns need none.
  static void sort(const Users& users, Place room, std::size_t n, Key flip) {
    const Code code(flip);
    const Unread<Form> unread{users, code};
    typename Form::Buffer buffer;
    const Place spare = buffer.place();
    if (n <= kBlock) {
      for (std::size_t i = 0; i < n; ++i) Form::put_one(spare, i, unread.load_one(i));
      return Form::sort_block(spare, users, n, code);
    }
    Key keys[kMostWays];
    const Splitters<Key> splitters =
        sample([&](std::size_t i) { return code.encode_one(users.keys[i]); }, n, keys);
    const int mid = splitters.count / 2;
    const Key pivot = splitters.keys[mid];
    const Sorting sorting{users, splitters, kLevels - 1, code};
    if constexpr (!std::is_same_v<Place, Users>) {
      const std::size_t left = Parts::to_other(unread, room, n, pivot);
      sort_sides(room, spare, left, n, 0, mid, splitters.count, sorting);
    } else if (n > Form::kMostTwoBuffers) {
      const std::size_t left = Parts::in_place(unread, users, n, pivot);
      sort_sides(users, spare, left, n, 0, mid, splitters.count, sorting);
    } else {
      const std::size_t left = Parts::to_other(unread, spare, n, pivot);
      sort_sides(spare, users, left, n, 0, mid, splitters.count, sorting);
    }
  }

 private:
  /// What stays the same within a round of splits.
  struct Sorting {
    Users to;  // where the result of the first pair goes
    const Splitters<Key>& splitters;
    int levels;
    const Code& code;
    Sorting from(std::size_t i) const { return {to.from(i), splitters, levels, code}; }
  };

  template <class KeyAt>
  static Splitters<Key> sample(KeyAt key_at, std::size_t n, Key* splitters) {
    alignas(64) Key sample[kBlock];
    const std::size_t count = sample_size(n), step = (n << 16) / count;  // in 65536ths
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t within = step * (i * 40503 & 0xFFFF) >> 16;
      sample[i] = key_at((i * step + within) >> 16);
    }
    RegisterSort<Key, false>::template sort<false, true>(sample, sample, count,
                                                         typename Plain::Code(0));
    return choose_splitters(sample, count, ways(n), splitters);
  }

  static void sort_round(Place from, Place spare, const Users& to, std::size_t n, int levels,
                         const Code& code) {
    if (levels == 0) {
      Form::sort_by_heap(from, n);
      return Form::write_out(from, to, n, code);
    }
    Key keys[kMostWays];
    const Splitters<Key> splitters =
        sample([&](std::size_t i) { return Form::key_at(from, i); }, n, keys);
    split(from, spare, n, 0, splitters.count, {to, splitters, levels - 1, code});
  }

  /// Sorts the pairs of the pieces [first, last] between the splitters.
  static void split(Place from, Place spare, std::size_t n, int first, int last,
                    const Sorting& sorting) {
    if (n <= kBlock) return Form::sort_block(from, sorting.to, n, sorting.code);
    if (first == last) {
      if (sorting.splitters.all_equal(first)) {
        return Form::write_out(from, sorting.to, n, sorting.code);
      }
      return sort_round(from, spare, sorting.to, n, sorting.levels, sorting.code);
    }
    const int mid = (first + last) / 2;
    const Key pivot = sorting.splitters.keys[mid];
    const Placed<Form> placed{from};
    if (n > Form::kMostTwoBuffers) {
      const std::size_t left = Parts::in_place(placed, from, n, pivot);
      sort_sides(from, spare, left, n, first, mid, last, sorting);
    } else {
      const std::size_t left = Parts::to_other(placed, spare, n, pivot);
      sort_sides(spare, from, left, n, first, mid, last, sorting);
    }
  }

  /// The same for two parts of n pairs. A spare buffer is as large as the pairs or as kMostTwoBuffers.
  static void sort_sides(Place from, Place spare, std::size_t left, std::size_t n, int first,
                         int mid, int last, const Sorting& sorting) {
    split(from, spare, left, first, mid, sorting);
    const Place spare_right = n > Form::kMostTwoBuffers ? spare : Form::at(spare, left);
    split(Form::at(from, left), spare_right, n - left, mid + 1, last, sorting.from(left));
  }
};

// The kernels of cpu/merge/simd, for the vectors of one instruction set.
//
// Keys are signed integers in ascending order here. Equal keys are not distinguished. So keys that
// fill up a vector at the end of a run may be exchanged with real keys of the same bits.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/merge/simd/state.hpp"
  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/primitives/simd/merge_lanes.hpp"
using namespace sortlab::cpu::merge::simd;
#endif

template <class Key, bool kFloat>
struct Kernels {
  using L = MergeLanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;
  using Base = RegisterSort<Key, kFloat>;

  // ---- Merge of two runs
  //
  // The greater half of the keys waits in registers, in reverse. Each step reads kStep more keys
  // from the run whose next key is smaller. One bitonic merge separates both into the smaller half,
  // which is written, and the greater half:
  //
  //   a | .. | next |        waiting (reversed)    \   min -> clean -> out
  //   b | ..... | next |  -> kStep keys            /   max -> clean -> waiting
  //
  // A step waits for the step before, through some twenty instructions. So kChains independent
  // merges take turns.

  static constexpr int kRows = sizeof(Key) == 4 ? 2 : 1;
  static constexpr int kChains = 4 / kRows;
  static constexpr std::size_t kStep = kRows * kLanes;

  /// Two segments to merge, with n keys in total.
  struct Job {
    Segment<Key> a, b;
    Key* out;
    std::size_t n;
  };

  /// The rest of a segment: whole steps, and a remainder that is copied to `tail` and filled up
  /// when its turn comes. After that, infinitely many greatest keys.
  struct Run {
    const Key* next;
    const Key* end;
    std::size_t rest;
    Key* tail;

    Run(Segment<Key> segment, Key* tail_keys)
        : next(segment.keys),
          end(segment.keys + segment.size / kStep * kStep),
          rest(segment.size % kStep),
          tail(tail_keys) {
      if (next == end) refill();
    }
    void refill() {
      fill_up(end, rest, tail);
      next = tail;
      end = tail + kStep;
      rest = 0;
    }
    [[gnu::always_inline]] void advance(std::uintptr_t bytes) {
      next = reinterpret_cast<const Key*>(reinterpret_cast<std::uintptr_t>(next) + bytes);
      if (next == end) [[unlikely]]
        refill();
    }
  };
  [[gnu::noinline]] static void fill_up(const Key* keys, std::size_t rest, Key* tail) {
    for (std::size_t i = 0; i < kStep; ++i) tail[i] = i < rest ? keys[i] : kGreatest<Key>;
  }

  template <std::size_t... kBit>
  SORTLAB_INLINE void clean_lanes(Vector& x, Vector& y, std::index_sequence<kBit...>) {
    ((L::template exchange<L::kBits - 1 - static_cast<int>(kBit)>(x, y), L::order(x, y)), ...);
    L::interleave_mirrored(x, y);
  }

  struct Chain {
    Run a, b;
    Key* out;
    Vector waiting[kRows];

    /// Reads the next kStep keys of the run whose next key is smaller.
    [[gnu::always_inline]] void read(Vector* v) {
      const auto at_a = reinterpret_cast<std::uintptr_t>(a.next);
      const auto at_b = reinterpret_cast<std::uintptr_t>(b.next);
      const std::uintptr_t take_b = std::uintptr_t{0} - std::uintptr_t{*b.next < *a.next};
      const auto* const from = reinterpret_cast<const Key*>(at_a ^ ((at_a ^ at_b) & take_b));
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) v[r] = L::load(from + r * kLanes);
      a.advance(kStep * sizeof(Key) & ~take_b);
      b.advance(kStep * sizeof(Key) & take_b);
    }
    [[gnu::always_inline]] Chain(const Job& job, Key* tails)
        : a(job.a, tails), b(job.b, tails + kStep), out(job.out) {
      Vector v[kRows];
      read(v);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) waiting[kRows - 1 - r] = L::reverse(v[r]);
    }
    /// Leaves the next kStep keys in v.
    [[gnu::always_inline]] void step(Vector* v) {
      read(v);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) L::order(v[r], waiting[r]);
#pragma GCC unroll 4
      for (int distance = kRows / 2; distance > 0; distance /= 2) {
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
          if ((r & distance) != 0) continue;
          L::order(v[r], v[r + distance]);
          L::order(waiting[r], waiting[r + distance]);
        }
      }
      Vector greater[kRows];
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        clean_lanes(v[r], waiting[r], std::make_index_sequence<L::kBits>{});
        greater[kRows - 1 - r] = waiting[r];
      }
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) waiting[r] = greater[r];
    }
  };

  template <bool kDecode>
  SORTLAB_INLINE Vector written(Vector v, const Code& code) {
    if constexpr (kDecode) return code.decode(v);
    return v;
  }
  template <bool kDecode>
  SORTLAB_INLINE void write_step(Chain& chain, Key* to, const Code& code) {
    Vector v[kRows];
    chain.step(v);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) L::store(to + r * kLanes, written<kDecode>(v[r], code));
  }
  /// Writes the keys from `done` on.
  template <bool kDecode>
  SORTLAB_INLINE void finish(Chain& chain, std::size_t done, std::size_t n, const Code& code) {
    for (; done + kStep <= n; done += kStep) write_step<kDecode>(chain, chain.out + done, code);
    if (done == n) return;
    alignas(64) Key last[kStep];
    write_step<kDecode>(chain, last, code);
    for (std::size_t i = 0; done + i < n; ++i) chain.out[done + i] = last[i];
  }

  template <bool kDecode, std::size_t... kC>
  SORTLAB_INLINE void merge_jobs(const Job* jobs, const Code& code, std::index_sequence<kC...>) {
    alignas(64) Key tails[sizeof...(kC)][2 * kStep];
    Chain chains[] = {Chain(jobs[kC], tails[kC])...};
    const std::size_t together = std::min({jobs[kC].n...}) / kStep * kStep;
    for (std::size_t done = 0; done < together; done += kStep) {
      (write_step<kDecode>(chains[kC], chains[kC].out + done, code), ...);
    }
    (finish<kDecode>(chains[kC], together, jobs[kC].n, code), ...);
  }
  template <bool kDecode, int kCount>
  [[gnu::noinline]] static void merge_jobs(const Job* jobs, const Code& code) {
    merge_jobs<kDecode>(jobs, code, std::make_index_sequence<kCount>{});
  }

  // ---- Merge of many segments, level by level in cache

  template <bool kDecode>
  static void copy(const Key* from, Key* to, std::size_t n, const Code& code) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      L::store(to + i, written<kDecode>(L::load(from + i), code));
    }
    for (; i < n; ++i) to[i] = kDecode ? code.decode_one(from[i]) : from[i];
  }

  /// Merges of one level, collected until there are kChains of them.
  template <bool kDecode>
  class Level {
   public:
    explicit Level(const Code& code) : code_(code) {}
    ~Level() {
      for (int i = 0; i < waiting_; ++i) merge_jobs<kDecode, 1>(jobs_ + i, code_);
    }
    /// Merges n keys of two segments, now or later.
    void add(Segment<Key> a, Segment<Key> b, Key* out, std::size_t n) {
      if (a.keys[a.size - 1] <= b.keys[0]) return copy_both(a, b, out, n);
      if (b.keys[b.size - 1] <= a.keys[0]) return copy_both(b, a, out, n);
      if (n >= kSplit) return merge_in_parts({a, b, out, n});
      jobs_[waiting_++] = {a, b, out, n};
      if (waiting_ < kChains) return;
      waiting_ = 0;
      merge_jobs<kDecode, kChains>(jobs_, code_);
    }

   private:
    /// From this many keys on, binary searches divide a merge among the chains.
    static constexpr std::size_t kSplit = 64 * kStep * kChains;

    void copy_both(Segment<Key> a, Segment<Key> b, Key* out, std::size_t n) {
      const std::size_t of_a = std::min(a.size, n);
      copy<kDecode>(a.keys, out, of_a, code_);
      copy<kDecode>(b.keys, out + of_a, n - of_a, code_);
    }
    void merge_in_parts(const Job& job) {
      Job parts[kChains];
      const std::size_t part = job.n / kChains / kStep * kStep;
      std::size_t i = 0, begin = 0;
      for (int c = 0; c < kChains; ++c) {
        const std::size_t end = c + 1 < kChains ? begin + part : job.n;
        const std::size_t j = begin - i;
        parts[c] = {{job.a.keys + i, job.a.size - i},
                    {job.b.keys + j, job.b.size - j},
                    job.out + begin,
                    end - begin};
        if (c + 1 < kChains) i = co_rank(job.a, job.b, end);
        begin = end;
      }
      merge_jobs<kDecode, kChains>(parts, code_);
    }

    const Code& code_;
    Job jobs_[kChains];
    int waiting_ = 0;
  };

  /// Merges segments and writes n keys. Each level goes from one of the two buffers to the other,
  /// the first one into `into`.
  template <bool kDecode>
  static void merge_segments(Segment<Key>* segments, std::size_t count, Key* into, Key* other,
                             Key* out, std::size_t n, const Code& code) {
    while (count > 2) {
      Level<false> level(code);
      Key* to = into;
      std::size_t merged = 0;
      for (std::size_t i = 0; i < count; i += 2) {
        std::size_t size = segments[i].size;
        if (i + 1 < count) {
          size += segments[i + 1].size;
          level.add(segments[i], segments[i + 1], to, size);
        } else {
          copy<false>(segments[i].keys, to, size, code);
        }
        segments[merged++] = {to, size};
        to += size;
      }
      count = merged;
      std::swap(into, other);
    }
    if (count == 2) {
      Level<kDecode>(code).add(segments[0], segments[1], out, n);
    } else if (count == 1) {
      copy<kDecode>(segments[0].keys, out, n, code);
    }
  }

  // ---- Functions that the plan calls

  /// Sorts n of the user's keys into `to`, as signed integers or, if `decode`, as the user's.
  static void sort_block(const Key* from, Key* to, std::size_t n, const Scratch<Key>& scratch,
                         bool decode, Key flip) {
    const Code code(flip);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; i += Base::kKeys) {
      const std::size_t size = std::min(Base::kKeys, n - i);
      Base::template sort<true, false>(from + i, scratch.first + i, size, code);
      scratch.segments[count++] = {scratch.first + i, size};
    }
    (decode ? merge_segments<true> : merge_segments<false>)(scratch.segments, count, scratch.second,
                                                            scratch.first, to, n, code);
  }

  /// Merges sorted runs of signed integers, tile by tile.
  static void merge_runs(const Positions<Key>& begin, const Positions<Key>& end, int runs, Key* to,
                         std::size_t tile, const Scratch<Key>& scratch, bool decode, Key flip) {
    const Code code(flip);
    Positions<Key> from = begin, cut;
    while (keys_between(from, end, runs) > 0) {
      cut_tile(from, end, runs, tile, cut);
      Segment<Key> segments[kMaxWays];
      std::size_t count = 0, n = 0;
      for (int r = 0; r < runs; ++r) {
        const auto size = static_cast<std::size_t>(cut.at[r] - from.at[r]);
        if (size > 0) segments[count++] = {from.at[r], size};
        n += size;
      }
      (decode ? merge_segments<true> : merge_segments<false>)(segments, count, scratch.first,
                                                              scratch.second, to, n, code);
      to += n;
      from = cut;
    }
  }

  static constexpr Calls<Key> calls() {
    return {.look = look<Key, kFloat>, .sort_block = sort_block, .merge_runs = merge_runs};
  }
};

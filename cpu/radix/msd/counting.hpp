// The first half of a partition: chooses the bucket of each key, and counts each thread's keys per
// bucket.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>

#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simd/intrinsics.hpp"
#include "cpu/radix/msd/classifier.hpp"
#include "cpu/radix/msd/leaf.hpp"
#include "cpu/radix/msd/source.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix::msd {

using primitives::parallel::chunk_begin, primitives::parallel::on_all_threads;

// The most keys in the sample that chooses the digit.
inline constexpr std::size_t kMaxSample = 4096;

/// The counters of one thread.
template <class Bits>
struct CountState {
  std::size_t counts[kMaxBuckets];
  Bits differing;
  BinTable table;
  alignas(kLineBytes) Bits block[kBlockItems];
};

/// Copies `size` evenly spread keys of the input.
template <class Items, class Bits>
void take_sample(const Source<Items>& from, std::size_t n, std::size_t size, Bits* block,
                 Bits* sample) {
  for (std::size_t i = 0; i < size; ++i) {
    sample[i] = *from.load(from.keys, n / size * i, 1, block);
  }
}

/// Counts the keys of [first, last) by bucket, and finds the bits in which they differ from the
/// first of all.
template <class Items, class State>
void count_chunk(const Source<Items>& from, std::size_t first, std::size_t last,
                 const Classifier& classifier, State& state) {
  using Bits = typename Items::Key;
  constexpr std::size_t kLine = kLineBytes / sizeof(Bits);
  std::fill_n(state.counts, classifier.buckets(), std::size_t{0});
  const Bits some_key = *from.load(from.keys, 0, 1, state.block);
  Bits differing = 0;
  classifier.visit([&](auto bucket_of) {
    for (std::size_t i = first; i < last; i += kBlockItems) {
      const std::size_t n = std::min(kBlockItems, last - i);
      const Bits* const keys = from.load(from.keys, i, n, state.block);
      const Bits* const following = static_cast<const Bits*>(from.keys) + i + kBlockItems;
      // Counting equal keys one by one would wait for the same counter each time.
      if (keys[0] == keys[n / 2] && keys[0] == keys[n - 1] && differing_bits(keys, n) == 0) {
        differing |= keys[0] ^ some_key;
        state.counts[bucket_of(keys[0])] += n;
        continue;
      }
      Bits in_block = 0;
      std::size_t k = 0;
      for (; k + kLine <= n; k += kLine) {
        // On some servers the hardware prefetches the streams of 16 threads too late.
        __builtin_prefetch(following + k);
        for (std::size_t j = k; j < k + kLine; ++j) {
          in_block |= keys[j] ^ some_key;
          ++state.counts[bucket_of(keys[j])];
        }
      }
      for (; k < n; ++k) {
        in_block |= keys[k] ^ some_key;
        ++state.counts[bucket_of(keys[k])];
      }
      differing |= in_block;
    }
  });
  state.differing = differing;
}

template <class State>
int width_of_all(const State* states, int threads) {
  decltype(states->differing) differing = 0;
  for (int t = 0; t < threads; ++t) differing |= states[t].differing;
  return static_cast<int>(std::bit_width(differing));
}

/// Chooses a classifier by a sample, digit_bits(width, sample) bits wide, and counts with it; empty
/// if all keys are equal. It refers to the first state's table. `sample` has room for kMaxSample
/// keys.
template <class Items, class State, class DigitBits>
std::optional<Classifier> count_buckets(const Source<Items>& from, std::size_t n, int threads,
                                        State* states, typename Items::Key* sample,
                                        bool may_look_up, DigitBits digit_bits) {
  using Bits = typename Items::Key;
  const std::size_t sampled = std::clamp<std::size_t>(n / 64, 16, kMaxSample);
  take_sample(from, n, sampled, states[0].block, sample);
  int width = static_cast<int>(std::bit_width(differing_bits(sample, sampled)));
  Classifier classifier;
  do {  // again if the sample has missed a bit
    classifier = classifier_for(sample, sampled, width,
                                digit_bits(width, std::span<const Bits>(sample, sampled)),
                                may_look_up, states[0].table);
    on_all_threads(threads, [&](int t) {
      count_chunk(from, chunk_begin(n, threads, t), chunk_begin(n, threads, t + 1), classifier,
                  states[t]);
    });
    width = width_of_all(states, threads);
    if (width == 0) return std::nullopt;
  } while (width > classifier.width());
  return classifier;
}

/// Gives each thread its range in each bucket: ordered by bucket, then by thread. The first range
/// begins at place `lead`; begin[b] is the beginning of bucket b, counted from there.
///
///   to   | bucket 0: t0 t1 .. | bucket 1: t0 t1 .. | ...
template <class State>
void lay_out(State* states, int threads, std::size_t buckets, std::size_t lead,
             std::size_t* begin) {
  std::size_t place = lead;
  for (std::size_t b = 0; b < buckets; ++b) {
    begin[b] = place - lead;
    for (int t = 0; t < threads; ++t) {
      states[t].buckets.begin[b] = states[t].buckets.next[b] = place;
      place += states[t].counts[b];
    }
  }
  begin[buckets] = place - lead;
}

}  // namespace sortlab::cpu::radix::msd

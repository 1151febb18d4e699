// Moves blocks of keys to their buckets' slots, in place and with all threads.
//
//   after the distribution   | b a c a . . | c b b a c . | ..      a share's blocks, then free slots
//   after the permutation    | a a a . | b b b . . | c c c . | ..  a bucket's slots, then a gap
//   gaps filled              | all of a | all of b   | all of c |  from the buffers
//
// A thread takes a block from its slot and finds the next slot of that block's bucket. It takes the
// block there out, stores its own, and continues with the other one. Tags prevent races: the thread
// that has changed a slot's tag reads the slot. The thread that got the slot from its bucket's
// counter writes it, once it is read.
//
// Source: Axtmann et al., "Engineering In-place (Shared-memory) Sorting Algorithms", 2022, section
// 4.2, with tags in place of pointers that meet. Every block's bucket is known, so a block in the
// right place can stay.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

#include "common/utils.hpp"
#include "cpu/quick/in_place/state.hpp"

namespace sortlab::cpu::quick::in_place {

template <class Key>
class Blocks {
 public:
  /// `memory` has the size that the plan needs, and begins at a cache line boundary.
  Blocks(Key* keys, std::size_t n, const BlockPlan& plan, std::byte* memory)
      : keys_(keys), n_(n), plan_(plan), block_(plan.block_bytes / sizeof(Key)) {
    std::byte* at = memory;
    const auto take = [&](std::size_t bytes) { return std::exchange(at, at + bytes); };
    tags_ = reinterpret_cast<Tag*>(take(plan.tag_bytes()));
    places_ = reinterpret_cast<Place*>(take(plan.place_bytes()));
    spare_ = reinterpret_cast<Key*>(take(plan.spare_bytes()));
    threads_ = at;
  }

  /// The share of thread t: whole slots, and for the last thread also the rest behind them.
  Stripe<Key> stripe(int t) const {
    const auto share = [&](int i) {
      return plan_.slots * static_cast<std::size_t>(i) / static_cast<std::size_t>(plan_.threads);
    };
    const std::size_t first = share(t), last = share(t + 1);
    const std::size_t end = t + 1 == plan_.threads ? n_ : last * block_;
    std::byte* const memory = memory_of(t).data();
    std::byte* const beyond = memory + plan_.buffer_bytes();
    auto* const next = reinterpret_cast<std::uint32_t*>(beyond);
    std::byte* const batch = beyond + plan_.leaves() * sizeof(std::uint32_t);
    auto* const leads = reinterpret_cast<std::uint32_t*>(batch + kBatch * sizeof(std::uint64_t));
    return {keys_ + first * block_,
            end - first * block_,
            tags_ + first,
            last - first,
            reinterpret_cast<Key*>(memory),
            block_,
            next,
            reinterpret_cast<std::make_unsigned_t<Key>*>(batch),
            leads,
            leads + plan_.leaves()};
  }

  /// Gives each bucket its slots, once all keys are in blocks.
  ///
  ///   keys    .. bucket b - 1 |  bucket b            |  bucket b + 1 ..
  ///   slots     |      |      |      |      |      |      |
  ///                           gap^  first       last^ gap
  void place(const SplitterTree<Key>& tree) {
    std::size_t begin = 0;
    for (int b = 0; b < tree.buckets(); ++b) {
      std::size_t size = 0, full = 0;
      for (int t = 0; t < plan_.threads; ++t) {
        const Stripe<Key> from = stripe(t);
        size += from.count(b);
        full += from.full[b];
      }
      if (tree.splitters.all_equal(b)) full = 0;  // they are stored nowhere
      Place& place = places_[b];
      place.begin = begin;
      place.end = begin += size;
      place.first = ceil_div(place.begin, block_);
      place.last = std::clamp(place.end / block_, place.first, place.first + full);
      place.spare_used = full > place.last - place.first;
      place.next.store(place.first, std::memory_order_relaxed);
    }
    next_slot_.store(0, std::memory_order_relaxed);
  }
  const Place& bucket(int b) const { return places_[b]; }

  /// Moves blocks to their slots, together with the other threads.
  void permute(int t) {
    constexpr std::size_t kSlotsAtOnce = 64;
    Key* held = stripe(t).buffer(plan_.leaves());
    Key* other = stripe(t).buffer(plan_.leaves() + 1);
    for (;;) {
      const std::size_t first = next_slot_.fetch_add(kSlotsAtOnce, std::memory_order_relaxed);
      if (first >= plan_.slots) return;
      const std::size_t last = std::min(first + kSlotsAtOnce, plan_.slots);
      for (std::size_t slot = first; slot < last; ++slot) {
        Tag bucket = tag(slot).load(std::memory_order_relaxed);
        if (bucket >= kBeingRead || is_home(slot, bucket) || !claim(slot, bucket)) continue;
        copy(held, keys_ + slot * block_);
        tag(slot).store(kNobody, std::memory_order_release);
        std::size_t to = draw(bucket);
        while (to != kSpare) {
          Tag there = tag(to).load(std::memory_order_relaxed);
          if (there >= kBeingRead || !claim(to, there)) break;
          const std::size_t next = draw(there);
          if (next != kSpare) prefetch(next);
          copy(other, keys_ + to * block_);
          copy(keys_ + to * block_, held);
          std::swap(held, other);
          bucket = there;
          to = next;
        }
        if (to == kSpare) {
          copy(spare_ + bucket * block_, held);
        } else {
          while (tag(to).load(std::memory_order_acquire) != kNobody) std::this_thread::yield();
          copy(keys_ + to * block_, held);
        }
      }
    }
  }

  /// Copies the keys that did not fill whole blocks to their bucket.
  void fill_gaps(int b) const {
    const Place& place = places_[b];
    Key* const ends[2][2] = {
        {keys_ + place.begin, keys_ + std::min(place.first * block_, place.end)},
        {keys_ + std::max(place.last * block_, place.begin), keys_ + place.end}};
    Key *to = ends[0][0], *end = ends[0][1];
    const auto append = [&](const Key* from, std::size_t n) {
      while (n > 0) {
        if (to == end) {
          to = ends[1][0];
          end = ends[1][1];
        }
        const std::size_t m = std::min(n, static_cast<std::size_t>(end - to));
        std::copy_n(from, m, to);
        to += m;
        from += m;
        n -= m;
      }
    };
    if (place.spare_used) append(spare_ + static_cast<std::size_t>(b) * block_, block_);
    for (int t = 0; t < plan_.threads; ++t) append(stripe(t).rest(b), stripe(t).rest_count(b));
  }

  /// One thread's data for a distribution.
  std::span<std::byte> memory_of(int t) const {
    return {threads_ + static_cast<std::size_t>(t) * plan_.thread_bytes(), plan_.thread_bytes()};
  }
  /// The data of all threads for a distribution.
  std::span<std::byte> buffers() const {
    return {threads_, static_cast<std::size_t>(plan_.threads) * plan_.thread_bytes()};
  }

 private:
  static constexpr std::size_t kSpare = ~std::size_t{0};

  std::atomic_ref<Tag> tag(std::size_t slot) const { return std::atomic_ref<Tag>(tags_[slot]); }
  bool claim(std::size_t slot, Tag bucket) const {
    return tag(slot).compare_exchange_strong(bucket, kBeingRead, std::memory_order_acquire,
                                             std::memory_order_relaxed);
  }
  bool is_home(std::size_t slot, Tag bucket) const {
    return slot >= places_[bucket].first && slot < places_[bucket].last;
  }
  /// A slot for a block, or kSpare when its bucket has no more. Blocks in the right place stay.
  std::size_t draw(Tag bucket) const {
    Place& place = places_[bucket];
    for (;;) {
      const std::size_t slot = place.next.fetch_add(1, std::memory_order_relaxed);
      if (slot >= place.last) return kSpare;
      if (tag(slot).load(std::memory_order_relaxed) != bucket) return slot;
    }
  }
  void copy(Key* to, const Key* from) const { std::memcpy(to, from, plan_.block_bytes); }
  void prefetch(std::size_t slot) const {
    const auto* const bytes = reinterpret_cast<const char*>(keys_ + slot * block_);
    for (std::size_t i = 0; i < plan_.block_bytes; i += kLineBytes) {
      __builtin_prefetch(bytes + i);
    }
  }

  Key* keys_;
  std::size_t n_;
  BlockPlan plan_;
  std::size_t block_;  // keys
  Tag* tags_;
  Place* places_;
  Key* spare_;
  std::byte* threads_;
  std::atomic<std::size_t> next_slot_;
};

}  // namespace sortlab::cpu::quick::in_place

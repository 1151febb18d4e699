// Sorts any items by a comparison, on all threads. The standard's sort sorts chunks; then all
// threads share each round of merges.
//
//   chunks   |  sorted  |  sorted  |  sorted  |  sorted  |
//   round 1  |       merged        |       merged        |     to the second buffer
//   round 2  |                   merged                  |     and back
//
// The chunks are a power of four, so that the last round ends in the caller's buffer. In each round
// all slots write equally many items; co-ranks give the items that each slot reads.
// If a comparison throws in the sort of a chunk, the items are as the standard's sort leaves them.
// If it throws in a merge, the remaining items are moved without comparisons, so no item is lost.
// Source: Deo, Jain, Medidi, "An optimal parallel algorithm for merging using multiselection" (1994).
#pragma once

#include <sortlab/sortlab.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sortlab::detail {

/// Fewer items than this are not worth starting a thread.
inline constexpr std::size_t kItemsPerThread = std::size_t{1} << 12;

/// How many chunks `threads` threads sort: a power of four.
inline constexpr int kMostChunks = 256;
constexpr int chunks_for(int threads) {
  int chunks = 4;
  while (chunks < threads && chunks < kMostChunks) chunks *= 4;
  return chunks;
}

/// Keeps the first exception of several threads.
class Failure {
 public:
  /// To be called in a catch block.
  void keep() {
    if (!has_failed_.exchange(true)) exception_ = std::current_exception();
  }
  /// To be called once the threads have returned.
  explicit operator bool() const { return exception_ != nullptr; }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr exception_;
};

/// Calls step(slot), which must not throw, for each slot on the team.
template <class Step>
void on_team(int slots, Step step) {
  ::sortlab_run(
      slots, [](void* erased, int slot) { (*static_cast<Step*>(erased))(slot); }, &step);
}

template <class T, class Less>
class MergeSort {
 public:
  /// `buffer`: raw memory for n items.
  MergeSort(T* items, T* buffer, std::size_t n, int chunks, Less less)
      : items_(items), buffer_(buffer), n_(n), chunks_(chunks), less_(less) {}
  ~MergeSort() {
    if (is_constructed_) std::destroy_n(buffer_, n_);
  }
  MergeSort(const MergeSort&) = delete;
  MergeSort& operator=(const MergeSort&) = delete;

  void run(bool stable) {
    sort_chunks(stable);
    T *from = items_, *to = buffer_;
    for (int run = 1; run < chunks_; run *= 2) {
      merge_round(from, to, run);
      std::swap(from, to);
    }
  }

 private:
  /// Two neighbouring runs, and the slots that merge them.
  struct Pair {
    std::size_t begin, left_items, right_items;
  };

  /// Where each slot begins in the left run.
  using Lefts = std::array<std::size_t, kMostChunks>;

  std::size_t begin_of(int chunk) const {
    const auto chunks = static_cast<std::size_t>(chunks_), c = static_cast<std::size_t>(chunk);
    return n_ / chunks * c + n_ % chunks * c / chunks;
  }

  Pair pair_of(int slot, int run) const {
    const int first = slot / (2 * run) * (2 * run);
    const std::size_t begin = begin_of(first), middle = begin_of(first + run);
    return {begin, middle - begin, begin_of(first + 2 * run) - middle};
  }

  void sort_chunks(bool stable) {
    Failure failure;
    detail::on_team(chunks_, [&](int slot) {
      T *const first = items_ + begin_of(slot), *const last = items_ + begin_of(slot + 1);
      try {
        if (stable) {
          std::stable_sort(first, last, less_);
        } else {
          std::sort(first, last, less_);
        }
      } catch (...) {
        failure.keep();
      }
    });
    failure.rethrow();
  }

  /// Merges pairs of runs of `run` chunks.
  void merge_round(T* from, T* to, int run) {
    Lefts lefts;  // no allocation, which could fail while the items are in the buffer
    Failure failure;
    detail::on_team(chunks_, [&](int slot) {
      const Pair pair = pair_of(slot, run);
      try {
        lefts[static_cast<std::size_t>(slot)] =
            co_rank(from + pair.begin, pair, begin_of(slot) - pair.begin);
      } catch (...) {
        failure.keep();
      }
    });
    if (!failure) {
      keep_in_order(lefts, run);
      detail::on_team(chunks_, [&](int slot) {
        const Pair pair = pair_of(slot, run);
        const bool is_last = (slot + 1) % (2 * run) == 0;
        const std::size_t left = lefts[static_cast<std::size_t>(slot)];
        const std::size_t left_end =
            is_last ? pair.left_items : lefts[static_cast<std::size_t>(slot) + 1];
        const std::size_t begin = begin_of(slot) - pair.begin;
        const std::size_t end = begin_of(slot + 1) - pair.begin;
        T *const lefts_begin = from + pair.begin, *const rights = lefts_begin + pair.left_items;
        merge(lefts_begin + left, lefts_begin + left_end, rights + (begin - left),
              rights + (end - left_end), to + begin_of(slot), failure);
      });
      is_constructed_ = !std::is_trivially_copyable_v<T>;
      std::swap(from, to);
    }
    if (failure && from != items_) std::move(buffer_, buffer_ + n_, items_);
    failure.rethrow();
  }

  /// How many of the first `rank` items of the merged pair come from its left run.
  std::size_t co_rank(const T* left, Pair pair, std::size_t rank) const {
    const T* const right = left + pair.left_items;
    std::size_t low = rank > pair.right_items ? rank - pair.right_items : 0;
    std::size_t high = std::min(rank, pair.left_items);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (less_(right[rank - middle - 1], left[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// With a comparison that is not an order, parts could overlap. This cuts them so that they do
  /// not.
  void keep_in_order(Lefts& lefts, int run) const {
    for (int slot = 1; slot < chunks_; ++slot) {
      if (slot % (2 * run) == 0) continue;
      const auto at = static_cast<std::size_t>(slot);
      const std::size_t most = lefts[at - 1] + (begin_of(slot) - begin_of(slot - 1));
      lefts[at] = std::clamp(lefts[at], lefts[at - 1], most);
    }
  }

  void merge(T* left, T* left_end, T* right, T* right_end, T* to, Failure& failure) {
    try {
      while (left != left_end && right != right_end) {
        const bool takes_right = less_(*right, *left);
        put(to++, takes_right ? *right : *left);
        right += takes_right;
        left += !takes_right;
      }
    } catch (...) {
      failure.keep();
    }
    while (left != left_end) put(to++, *left++);
    while (right != right_end) put(to++, *right++);
  }

  /// In the first round the buffer holds no items yet.
  void put(T* to, T& item) {
    if constexpr (!std::is_trivially_copyable_v<T>) {
      if (!is_constructed_) {
        std::construct_at(to, std::move(item));
        return;
      }
    }
    *to = std::move(item);
  }

  T *items_, *buffer_;
  std::size_t n_;
  int chunks_;
  Less less_;                    // Invoked
  bool is_constructed_ = false;  // whether the buffer holds items that must be destroyed
};

}  // namespace sortlab::detail

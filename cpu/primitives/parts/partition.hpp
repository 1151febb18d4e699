// Partition of unsorted items by cuts: count how many items go to each part, then move them there, pairs stably.
//
// Two passes over the items. In the first, each thread counts the items of its chunk; from the counts of all
// threads, and of all parts, follows where the items of each chunk go. In the second it moves them:
//
//   items   | 5 1 8 2 | 9 3 6 1 |   chunks of two threads; cuts behind 2 and 5
//   runs    | 1 2 | 1 |   | 5 | 3 |   | 8 | 9 6 |
//
// A key below a cut's key, or equal to it and in front of the cut's place, lies before it. So a cut that has
// such a place means another last key in front of it than behind it. The stretches between these places are
// partitioned one after another.
//
// Keys alone go to at most 4 parts from vectors, each of which is looked at once for each part. To more parts
// they go block by block: a block is partitioned by binary splits in a cache first (partition_kernels.inl.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "cpu/primitives/cache_lines.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/parts/exchange.hpp"
#include "cpu/primitives/parts/partition_calls.hpp"
#include "cpu/primitives/parts/sample.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/quick/tree_search.hpp"

#define SORTLAB_KERNELS "cpu/primitives/parts/partition_kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::parts::kernels
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::parts {

/// A partition of a part's items.
template <class Job>
class Partition {
 public:
  using Key = typename Job::Key;
  using Bits = Key;
  using PartItems = Items<Key, typename Job::Value>;

  /// Counts. The job must outlive the partition.
  Partition(const Job& job, std::vector<ItemCut<Bits>> cuts)
      : job_(job),
        calls_(is_floating(job.keys.type) ? kernels::calls_for<Int, true>(job.isa)
                                          : kernels::calls_for<Int, false>(job.isa)),
        flip_(static_cast<Int>(job.map.flip) ^ std::numeric_limits<Int>::min()),
        cuts_(std::move(cuts)),
        counts_(static_cast<std::size_t>(job.threads)) {
    for (const auto& cut : cuts_) stretch_ends_.push_back(std::min(cut.equal_until, job.n));
    stretch_ends_.push_back(job.n);
    std::sort(stretch_ends_.begin(), stretch_ends_.end());
    threads::on_all_threads(
        job.threads, [&](int t) { counts_[static_cast<std::size_t>(t)] = counts_of_chunk(t); });
  }

  /// How many items go to each part.
  Counts counts() const {
    Counts sum(cuts_.size() + 1);
    for (const Counts& counts : counts_) {
      for (std::size_t part = 0; part < sum.size(); ++part) sum[part] += counts[part];
    }
    return sum;
  }

  /// Moves the items of each part p to to[p].
  void move(const std::vector<PartItems>& to) const {
    threads::on_all_threads(job_.threads, [&](int t) {
      std::vector<PartItems> next = to;
      for (int before = 0; before < t; ++before) {
        const Counts& counts = counts_[static_cast<std::size_t>(before)];
        for (std::size_t p = 0; p < next.size(); ++p) next[p] = next[p].from(counts[p]);
      }
      if (Job::kPairs) {
        move_items(t, next);
      } else if (next.size() <= kFewParts) {
        move_keys(t, next);
      } else {
        deal_keys(t, next);
      }
    });
  }

 private:
  using Int = std::make_signed_t<Bits>;
  static constexpr std::size_t kFewParts = 4;  // whose keys are gathered from vectors

  /// The cuts as they are in one stretch: the last keys before them, but for those with nothing before.
  struct Stretch {
    std::size_t begin, end;
    std::size_t empty;  // parts at the front that get nothing
    CutTree<Int> cuts;
  };

  /// Calls work(stretch) for the stretches of the chunk of thread t.
  template <class Work>
  void for_each_stretch(int t, Work work) const {
    std::size_t begin = threads::chunk_begin(job_.n, job_.threads, t);
    const std::size_t chunk_end = threads::chunk_begin(job_.n, job_.threads, t + 1);
    for (const std::size_t stretch_end : stretch_ends_) {
      const std::size_t end = std::min(stretch_end, chunk_end);
      if (begin >= end) continue;
      std::size_t empty = 0;
      std::vector<Int> last_keys;
      for (const auto& cut : cuts_) {
        const bool equal_before = begin < cut.equal_until;
        if (cut.key == 0 && !equal_before) {
          ++empty;
        } else {
          const auto last = static_cast<Bits>(cut.key - (equal_before ? 0 : 1));
          last_keys.push_back(static_cast<Int>(last ^ kSign));
        }
      }
      work(Stretch{begin, end, empty, CutTree<Int>(std::move(last_keys))});
      begin = end;
    }
  }

  /// Calls work(first, count, parts) for blocks of items of a stretch, with the part of each item.
  template <class Work>
  void for_each_block(const Stretch& stretch, Work work) const {
    Int parts[kBlock];
    for (std::size_t begin = stretch.begin; begin < stretch.end; begin += kBlock) {
      const std::size_t count = std::min(kBlock, stretch.end - begin);
      calls_.classify(ints() + begin, count, flip_, stretch.cuts, parts);
      work(begin, count, parts);
    }
  }

  Counts counts_of_chunk(int t) const {
    Counts counts(cuts_.size() + 1);
    for_each_stretch(t, [&](const Stretch& stretch) {
      if (stretch.cuts.last.size() > kFewCuts) {
        for_each_block(stretch, [&](std::size_t, std::size_t count, const Int* parts) {
          for (std::size_t i = 0; i < count; ++i) {
            ++counts[stretch.empty + static_cast<std::size_t>(parts[i])];
          }
        });
        return;
      }
      Counts above(stretch.cuts.last.size() + 1);
      const std::size_t n = stretch.end - stretch.begin;
      calls_.count(ints() + stretch.begin, n, flip_, stretch.cuts, above.data());
      std::size_t rest = n;
      for (std::size_t c = 0; c < above.size(); ++c) {
        counts[stretch.empty + c] += rest - above[c];
        rest = above[c];
      }
    });
    return counts;
  }

  void move_keys(int t, const std::vector<PartItems>& to) const {
    std::vector<Int*> next, end;
    const Counts& counts = counts_[static_cast<std::size_t>(t)];
    for (std::size_t p = 0; p < to.size(); ++p) {
      next.push_back(ints(to[p].keys));
      end.push_back(next.back() + counts[p]);
    }
    for_each_stretch(t, [&](const Stretch& stretch) {
      calls_.move(ints() + stretch.begin, stretch.end - stretch.begin, flip_, stretch.cuts,
                  next.data() + stretch.empty, end.data() + stretch.empty);
    });
  }

  void deal_keys(int t, const std::vector<PartItems>& to) const {
    std::vector<Int*> next;
    for (const PartItems& items : to) next.push_back(ints(items.keys));
    std::vector<Int> scratch(std::min(job_.n, kDealt<Int>));
    for_each_stretch(t, [&](const Stretch& stretch) {
      calls_.deal(ints() + stretch.begin, stretch.end - stretch.begin, flip_, stretch.cuts,
                  next.data() + stretch.empty, scratch.data());
    });
    primitives::publish_streams();
  }

  void move_items(int t, std::vector<PartItems> next) const {
    for_each_stretch(t, [&](const Stretch& stretch) {
      for_each_block(stretch, [&](std::size_t begin, std::size_t count, const Int* parts) {
        for (std::size_t i = 0; i < count; ++i) {
          PartItems& to = next[stretch.empty + static_cast<std::size_t>(parts[i])];
          to.put(0, job_.data[begin + i]);
          to = to.from(1);
        }
      });
    });
  }

  /// The same memory, as kernels see it.
  static Int* ints(Bits* keys) { return reinterpret_cast<Int*>(keys); }
  const Int* ints() const { return ints(job_.data.keys); }

  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

  const Job& job_;
  PartitionCalls<Int> calls_;
  Int flip_;  // see Coding
  std::vector<ItemCut<Bits>> cuts_;
  std::vector<std::size_t> stretch_ends_;
  std::vector<Counts> counts_;  // of each thread
};

}  // namespace sortlab::cpu::parts

// The host's part of the hybrid quicksort: it partitions breadth first until there is a task for
// every thread of the GPU.
//
//     level 0   [                 n                 ]     all workers on the one segment
//     level 1   [       |                           ]
//     level 2   [   |   |            |              ]     from here on: one worker per segment
//
// While a level has fewer segments than there are workers, they share a segment: each partitions a
// chunk, then items on the wrong side of the common border are swapped across it:
//
//     chunks    [ <<<< >>> | <<< >>>>> | <<<<< > ]       < not above the pivot, > not below it
//     border                   ^
//     swapped        ~~~~           ~     ~~~~~          > before, < after the border
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <vector>

#include "gpu/quick/hoare.cuh"
#include "gpu/quick/segment_queue.cuh"

namespace sortlab::gpu::quick::iterative {

constexpr std::size_t kBootstrapTasks = 65536;
/// Shorter segments are not partitioned: the GPU's threads sort them.
constexpr std::size_t kShortTask = 512;

template <class F>
void run_workers(unsigned workers, F work) {
  std::vector<std::jthread> others;
  for (unsigned w = 1; w < workers; ++w) others.emplace_back([=] { work(w); });
  work(0);
}

/// Partitions [begin, end) around a key that it need not hold; returns where the right part begins.
/// Like Hoare's partition, it distributes equal keys to both sides.
template <class Less, class Key, class Value>
std::size_t partition_chunk(Items<Key, Value> items, std::size_t begin, std::size_t end,
                            Key pivot) {
  const Less less;
  std::size_t i = begin;
  std::size_t j = end;
  while (i < j) {
    while (i < j && less(items.keys[i], pivot)) ++i;
    while (i < j && less(pivot, items.keys[j - 1])) --j;
    if (i < j) items.swap(i++, --j);
  }
  return i;
}

/// Runs of misplaced items in several chunks, with consecutive numbers.
class Misplaced {
  struct Run {
    std::size_t begin;
    std::size_t first_rank;
  };

 public:
  void add(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    runs_.push_back({begin, count_});
    count_ += end - begin;
  }
  std::size_t count() const { return count_; }

  /// Iterates over the items from number `rank` on.
  class Walker {
   public:
    Walker(const Misplaced& items, std::size_t rank) : runs_(items.runs_), rank_(rank) {
      while (run_ + 1 < runs_.size() && runs_[run_ + 1].first_rank <= rank) ++run_;
    }
    std::size_t next() {
      if (run_ + 1 < runs_.size() && runs_[run_ + 1].first_rank == rank_) ++run_;
      return runs_[run_].begin + (rank_++ - runs_[run_].first_rank);
    }

   private:
    const std::vector<Run>& runs_;
    std::size_t run_ = 0;
    std::size_t rank_;
  };

 private:
  std::vector<Run> runs_;
  std::size_t count_ = 0;
};

/// Partitions a segment with all workers.
template <class Less, class Key, class Value>
Split partition_together(Items<Key, Value> items, Segment segment, unsigned workers) {
  const Key pivot = pivot_of<Less>(items.keys, segment.begin, segment.begin + segment.count);
  const auto chunk_begin = [&](std::size_t w) {
    return segment.begin + segment.count * w / workers;
  };
  std::vector<std::size_t> left_end(workers);
  run_workers(workers, [&, pivot](unsigned w) {
    left_end[w] = partition_chunk<Less>(items, chunk_begin(w), chunk_begin(w + 1), pivot);
  });

  std::size_t border = segment.begin;
  for (unsigned w = 0; w < workers; ++w) border += left_end[w] - chunk_begin(w);
  Misplaced large;  // before the border
  Misplaced small;  // after it, as many
  for (unsigned w = 0; w < workers; ++w) {
    large.add(left_end[w], std::min(chunk_begin(w + 1), border));
    small.add(std::max(chunk_begin(w), border), left_end[w]);
  }
  run_workers(workers, [&](unsigned w) {
    const std::size_t first = large.count() * w / workers;
    const std::size_t last = large.count() * (w + 1) / workers;
    Misplaced::Walker in_large(large, first);
    Misplaced::Walker in_small(small, first);
    for (std::size_t rank = first; rank < last; ++rank)
      items.swap(in_large.next(), in_small.next());
  });
  return {border, border};
}

/// Partitions each segment of `level` that is long enough; the others stay unchanged.
template <class Less, class Key, class Value>
std::vector<Split> partition_level(Items<Key, Value> items, const std::vector<Segment>& level,
                                   unsigned workers) {
  std::vector<Split> splits(level.size());
  if (level.size() < workers) {
    for (std::size_t s = 0; s < level.size(); ++s) {
      if (level[s].count > kShortTask)
        splits[s] = partition_together<Less>(items, level[s], workers);
    }
    return splits;
  }
  std::atomic<std::size_t> next_segment = 0;
  run_workers(workers, [&](unsigned) {
    for (std::size_t s; (s = next_segment++) < level.size();) {
      const std::size_t begin = level[s].begin;
      const std::size_t end = begin + level[s].count;
      if (level[s].count <= kShortTask) continue;
      splits[s] = hoare_partition<Less>(items, begin, end, pivot_of<Less>(items.keys, begin, end));
    }
  });
  return splits;
}

/// Partitions items[0, n) into at least kBootstrapTasks segments that may be sorted independently,
/// or until all are short. There are fewer if the pivots are bad for 2 log2(n) levels. Segments of
/// a single item are left out.
template <class Less, class Key, class Value>
std::vector<Segment> bootstrap_tasks(Items<Key, Value> items, std::size_t n, unsigned workers) {
  const int max_levels = 2 * std::bit_width(n);
  std::vector<Segment> tasks{{0, n}};
  for (int level = 0; level < max_levels && tasks.size() < kBootstrapTasks; ++level) {
    const auto splits = partition_level<Less>(items, tasks, workers);
    std::vector<Segment> children;
    const auto add = [&](std::size_t begin, std::size_t end) {
      if (end - begin > 1) children.push_back({begin, end - begin});
    };
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::size_t end = tasks[t].begin + tasks[t].count;
      if (tasks[t].count <= kShortTask) {
        children.push_back(tasks[t]);
      } else {
        add(tasks[t].begin, splits[t].left_end);
        add(splits[t].right_begin, end);
      }
    }
    tasks = std::move(children);
    const auto is_short = [](Segment task) { return task.count <= kShortTask; };
    if (std::all_of(tasks.begin(), tasks.end(), is_short)) break;
  }
  return tasks;
}

}  // namespace sortlab::gpu::quick::iterative

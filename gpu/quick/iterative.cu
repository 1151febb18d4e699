// Hybrid quicksort: the host partitions breadth first until there are 65,536 tasks. Then, in each
// round, each thread of the GPU takes one task, and its remaining parts go into the next round's
// queue.
//
// Over fat and batched: the host does the first levels, on which only a few blocks would work; and one
// thread per task needs no barriers. A round is a launch and a wait for the queue's length.
//
//   host    A -> host, partition breadth first, A and the tasks -> GPU
//   round   task of n <= 16       sorted in registers
//           task of n <= 64       insertion sort in global memory
//           longer                Hoare's partition, median of 3, or of 9 for n > 2048:
//                                 left and right part into the next queue, by one atomic per warp
//
// The copies and the host's work belong to the sort and are timed. The host's copy of the array lies
// in pinned memory that each host thread keeps from sort to sort: the first sort, or a larger one,
// pays for it. The host uses Job::threads threads, or all if it is 0.
// Against the sources: the array comes from the GPU, so the host's bootstrap costs a way back and
// forth that algorithm 3, which begins with host data, does not have. Several host threads share the
// bootstrap (otherwise its first level, one thread over the whole array, is most of the time). Equal
// keys are distributed to both sides, so duplicates take n log n. After 2 log2(n) rounds heap sort
// finishes the rest, so no input is quadratic. aggregate=0 takes one atomic per thread;
// nvcc 13 would aggregate a plain atomicAdd(&count, 1) of its own accord (seen in its machine code).
// Gain over fat: 0.604x, a loss (2^27 u32 keys, H200; results/h200/ladder.summary.csv).
// Source: Goralija et al., section III.C.3 and algorithm 3; Bosnian edition, section III.D
// (docs/papers.md).
#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <vector>

#include "common/contract/host_work.hpp"
#include "common/contract/usable_cpus.hpp"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/warp/lanes.cuh"
#include "gpu/quick/hoare.cuh"
#include "gpu/quick/segment_queue.cuh"

namespace sortlab::gpu::quick::iterative {

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

namespace sortlab {
namespace {

using gpu::kAllLanes;
using gpu::quick::Segment;
using gpu::quick::SegmentQueue;

constexpr unsigned kInRegisters = 16;
constexpr unsigned kInsertion = 64;

/// Insertion sort of at most 16 items. Every index is known at compile time, so that all of them
/// stay in registers; places from `count` on take part in nothing.
template <class Less, class Key, class Value>
__device__ void sort_in_registers(Items<Key, Value> items, unsigned count) {
  Item<Key, Value> r[kInRegisters];
#pragma unroll
  for (unsigned i = 0; i < kInRegisters; ++i) {
    if (i < count) r[i] = items[i];
  }
#pragma unroll
  for (unsigned i = 1; i < kInRegisters; ++i) {
#pragma unroll
    for (unsigned j = i; j > 0; --j) {
      if (i < count && Less{}(r[j].key, r[j - 1].key)) {
        const auto smaller = r[j];
        r[j] = r[j - 1];
        r[j - 1] = smaller;
      }
    }
  }
#pragma unroll
  for (unsigned i = 0; i < kInRegisters; ++i) {
    if (i < count) items.put(i, r[i]);
  }
}

/// Appends the tasks of those lanes that have one, with one atomic per warp, or with one per lane. All
/// lanes must call it.
template <bool kAggregate>
__device__ void enqueue(SegmentQueue queue, bool has_task, Segment task) {
  if constexpr (!kAggregate) {
    // An addend of 1 that the compiler can't know: it aggregates those that are alike by itself.
    const unsigned one = 1 + static_cast<unsigned>(task.count >> 63);
    if (has_task) queue.segments[atomicAdd(queue.count, one)] = task;
    return;
  }
  const unsigned mask = __ballot_sync(kAllLanes, has_task);
  if (mask == 0) return;
  const int leader = __ffs(static_cast<int>(mask)) - 1;
  unsigned base = 0;
  if (static_cast<int>(gpu::lane_id()) == leader) base = atomicAdd(queue.count, __popc(mask));
  base = __shfl_sync(kAllLanes, base, leader);
  if (has_task) queue.segments[base + __popc(gpu::lanes_below(mask))] = task;
}

/// A round: thread t takes task t. The last round queues nothing.
template <bool kAggregate, class Less, class Key, class Value>
__global__ void sort_tasks(Items<Key, Value> data, const Segment* tasks, unsigned count,
                           SegmentQueue next, bool is_last_round) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const Segment task = t < count ? tasks[t] : Segment{0, 0};
  const std::size_t end = task.begin + task.count;
  Segment left{0, 0};
  Segment right{0, 0};
  if (task.count <= kInRegisters) {
    sort_in_registers<Less>(data.from(task.begin), static_cast<unsigned>(task.count));
  } else if (task.count <= kInsertion) {
    gpu::quick::insertion_sort<Less>(data, task.begin, end);
  } else if (is_last_round) {
    gpu::quick::heap_sort<Less>(data, task.begin, end);
  } else {
    const Key pivot = gpu::quick::pivot_of<Less>(data.keys, task.begin, end);
    const auto split = gpu::quick::hoare_partition<Less>(data, task.begin, end, pivot);
    left = {task.begin, split.left_end - task.begin};
    right = {split.right_begin, end - split.right_begin};
  }
  __syncwarp();
  enqueue<kAggregate>(next, left.count > 1, left);
  enqueue<kAggregate>(next, right.count > 1, right);
}

/// Pinned host memory that is kept for the next sort of the same host thread.
class PinnedMemory {
 public:
  ~PinnedMemory() { (void)cudaFreeHost(bytes_); }

  std::byte* of_size(std::size_t size) {
    if (size > size_) {
      check(cudaFreeHost(bytes_), "cudaFreeHost");
      bytes_ = nullptr;
      size_ = 0;
      check(cudaMallocHost(reinterpret_cast<void**>(&bytes_), size), "cudaMallocHost");
      size_ = size;
    }
    return bytes_;
  }

 private:
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
};

template <class Key, class Value>
void copy_async(Items<Key, Value> to, Items<Key, Value> from, std::size_t n, cudaMemcpyKind kind,
                cudaStream_t stream) {
  check(cudaMemcpyAsync(to.keys, from.keys, n * sizeof(Key), kind, stream),
        "cudaMemcpyAsync of the keys");
  if constexpr (Items<Key, Value>::kPairs) {
    check(cudaMemcpyAsync(to.values, from.values, n * sizeof(Value), kind, stream),
          "cudaMemcpyAsync of the values");
  }
}

/// The tasks that the host leaves to the GPU. Arrays for one thread are not worth the copy to the
/// host.
template <class Job>
std::vector<Segment> tasks_of(const Job& job) {
  using Key = typename Job::Key;
  using Value = typename Job::Value;
  constexpr std::size_t kItemsWorthAWorker = 1 << 15;
  if (job.n <= gpu::quick::iterative::kShortTask) return {{0, job.n}};

  thread_local PinnedMemory pinned;
  gpu::Layout layout(pinned.of_size(job.n * sizeof(Key) + job.n * kValueBytes<Value> + 512));
  Items<Key, Value> host{layout.take<Key>(job.n), nullptr};
  if constexpr (Job::kPairs) host.values = layout.take<Value>(job.n);

  const std::size_t threads = job.threads > 0 ? job.threads : usable_cpus();
  const auto workers = std::clamp<std::size_t>(job.n / kItemsWorthAWorker, 1, threads);
  copy_async(host, job.data, job.n, cudaMemcpyDeviceToHost, job.stream);
  check(cudaStreamSynchronize(job.stream), "cudaStreamSynchronize");
  const auto tasks = [&] {
    const HostWork bootstrap(job.host_clock);
    return gpu::quick::iterative::bootstrap_tasks<typename Job::Less>(
        host, job.n, static_cast<unsigned>(workers));
  }();
  copy_async(job.data, host, job.n, cudaMemcpyHostToDevice, job.stream);
  return tasks;
}

/// The most tasks in a queue: those of the bootstrap, or two children of each task that was too
/// long for insertion sort.
constexpr std::size_t max_tasks(std::size_t n) {
  return std::max(std::min(2 * gpu::quick::iterative::kBootstrapTasks, n / 2 + 1),
                  2 * (n / (kInsertion + 1) + 1));
}

struct TaskWorkspace {
  unsigned* counts;
  SegmentQueue queue[2];

  TaskWorkspace(gpu::Layout& layout, std::size_t n) : counts(layout.take<unsigned>(2)) {
    for (int q = 0; q < 2; ++q) queue[q] = {layout.take<Segment>(max_tasks(n)), counts + q};
  }
};

template <bool kAggregate, class Job>
auto kernel_of() {
  return sort_tasks<kAggregate, typename Job::Less, typename Job::Key, typename Job::Value>;
}

struct Iterative {
  static constexpr ParamSpec kParams[] = {
      {"threads", 128, 64, 1024, "threads a block, one a task"},
      {"aggregate", 1, 0, 1, "1: one atomic per warp for its new tasks; 0: one per thread"}};
  static constexpr Info info{
      .summary = "quicksort, host bootstrap to 65,536 tasks, then one task per thread",
      .source = "Goralija et al., III.C.3: Iterative V2, algorithm 3",
      .after = "gpu/quick/fat",
      .memory = Memory::device,
      .capturable = false,
      .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    gpu::Layout layout;
    TaskWorkspace(layout, request.n);
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const unsigned threads = gpu::whole_warps(job.params, "threads");
    if (job.n <= 1) return ResultIn::data;
    const auto tasks = tasks_of(job);
    gpu::Layout layout(job.workspace.data());
    const TaskWorkspace queues(layout, job.n);
    check(cudaMemcpyAsync(queues.queue[0].segments, tasks.data(), tasks.size() * sizeof(Segment),
                          cudaMemcpyHostToDevice, job.stream),
          "cudaMemcpyAsync of the tasks");

    const int last_round = 2 * std::bit_width(job.n);
    auto waiting = static_cast<unsigned>(tasks.size());
    for (int round = 0; waiting > 0; ++round) {
      const auto& now = queues.queue[round % 2];
      const auto& next = queues.queue[(round + 1) % 2];
      check(cudaMemsetAsync(next.count, 0, sizeof(unsigned), job.stream), "cudaMemsetAsync");
      const auto round_kernel =
          job.params["aggregate"] != 0 ? kernel_of<true, Job>() : kernel_of<false, Job>();
      gpu::launch("sort_tasks", round_kernel, {ceil_div(waiting, threads), threads}, job.stream,
                  job.data, now.segments, waiting, next, round == last_round);
      waiting = gpu::quick::read_count(next.count, job.stream);
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Iterative>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

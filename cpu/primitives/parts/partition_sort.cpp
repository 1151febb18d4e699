// Cuts, counts, moves and sorts, for all widths.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/parts/exchange.hpp"
#include "cpu/primitives/parts/local_sort.hpp"
#include "cpu/primitives/parts/partition_calls.hpp"
#include "cpu/primitives/parts/sorts.hpp"
#include "cpu/primitives/parts/splitters.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/quick/tree_search.hpp"

namespace sortlab::cpu::parts {

// Splitters of unsorted parts, from a sample: which of this part's items lie before each cut.
//
//   items    | . . * . . | . * . . . | * . . . . | ...     a random one of each of `size` equal stretches
//   sample   sorted, with the places of the items; then the even cuts of all parts' samples (splitters.hpp)
//
// A share between two cuts holds `size` samples. So it is n/P items, give or take one standard deviation of
// at most n/P / sqrt(size).

/// A cut of unsorted items: an item lies before it if its key is below `key`, or equal to it and the item's
/// place is below `equal_until`.
template <class Bits>
struct ItemCut {
  Bits key;
  std::size_t equal_until;
};

/// The workspace that a sample of `size` items takes.
inline std::size_t sample_workspace_bytes(std::size_t size, const PartRequest& request) {
  return fastest::stable::workspace_bytes(size, request.key_bytes, sizeof(std::uint32_t), 1, {});
}

/// Some of a part's items, sorted, with their places.
template <class Job>
class Sample {
 public:
  using Key = typename Job::Key;

  /// Of `size` items, or of all if there are fewer.
  Sample(const Job& job, std::size_t size)
      : map_(job.map), n_(job.n), size_(std::min(size, job.n)) {
    for (std::vector<Key>& keys : keys_) keys.resize(size_);
    for (std::vector<std::uint32_t>& numbers : numbers_) numbers.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      keys_[0][i] = job.data.keys[place(i)];
      numbers_[0][i] = static_cast<std::uint32_t>(i);
    }
    const auto [key_type, order] = job.keys;
    using Numbered = Items<Key, std::uint32_t>;
    const ResultIn in = fastest::sort(
        fastest::stable::codes(key_type, sizeof(std::uint32_t), order),
        Numbered{keys_[0].data(), numbers_[0].data()},
        Numbered{keys_[1].data(), numbers_[1].data()}, size_, job.workspace, 1, job.isa);
    if (in == ResultIn::alternate) {
      keys_[0].swap(keys_[1]);
      numbers_[0].swap(numbers_[1]);
    }
  }

  SortedPart<Key> sorted() const { return {keys_[0].data(), size_, map_}; }
  std::size_t size() const { return size_; }
  /// The place of the sorted sample's item i among all items of the part.
  std::size_t place_of_sorted(std::size_t i) const { return place(numbers_[0][i]); }

 private:
  /// The place of item i of the sample, in stretch i.
  std::size_t place(std::size_t i) const {
    const std::size_t begin = stretch_begin(i);
    const std::uint64_t random = (i + 1) * 0x9E37'79B9'7F4A'7C15ull >> 32;
    return begin + (random * (stretch_begin(i + 1) - begin) >> 32);
  }
  std::size_t stretch_begin(std::size_t i) const { return n_ / size_ * i + n_ % size_ * i / size_; }

  KeyMap<Key> map_;
  std::size_t n_, size_;
  std::vector<Key> keys_[2];
  std::vector<std::uint32_t> numbers_[2];
};

/// The cuts of all parts' items into P shares, from samples of `size` items. All parts must call it.
template <class Job>
std::vector<ItemCut<typename Job::Key>> sampled_cuts(const Job& job, std::size_t size) {
  using Bits = typename Job::Key;
  using Equals = typename OwnCut<Bits>::Equals;
  const Sample<Job> sample(job, size);
  std::uint64_t all_size = sample.size();
  job.parts.all_sum(std::span(&all_size, 1));
  const std::uint64_t tolerance = all_size / static_cast<std::uint64_t>(job.parts.parts()) / 400;
  std::vector<ItemCut<Bits>> cuts;
  for (const auto& cut : even_cuts(job.parts, sample.sorted(), all_size, tolerance, 32)) {
    const std::size_t until = cut.equals == Equals::before   ? job.n
                              : cut.equals == Equals::behind ? 0
                                                             : sample.place_of_sorted(cut.before);
    cuts.push_back({cut.key, until});
  }
  return cuts;
}

}  // namespace sortlab::cpu::parts

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

namespace {

/// How many of its items a part looks at, if it has as many.
std::size_t sample_size(const Params& params) { return static_cast<std::size_t>(params["sample"]); }

/// Where the runs of each part begin, if they lie behind each other from `items` on.
template <class PartItems>
std::vector<PartItems> runs_from(PartItems items, const Counts& counts) {
  std::vector<PartItems> runs;
  for (const std::size_t count : counts) {
    runs.push_back(items);
    items = items.from(count);
  }
  return runs;
}

/// Moves the items into the alternate buffers of the parts that they go to. Returns the bytes that went to
/// others.
template <class Job>
std::size_t move_to_parts(const Job& job, const Partition<Job>& partition,
                          const CountsOfAll& all_counts) {
  auto to = job.alternates;
  for (std::size_t p = 0; p < to.size(); ++p) to[p] = to[p].from(all_counts.offset_at(p));
  partition.move(to);
  job.parts.barrier();
  const Counts counts = partition.counts();
  const auto own = static_cast<std::size_t>(job.parts.part());
  return (total(counts) - counts[own]) *
         (sizeof(typename Job::Key) + kValueBytes<typename Job::Value>);
}

/// Parts that share no memory partition into their own alternate buffer and exchange. If the sample was not
/// like the items, so that a part would get more than it has room for, the exact way comes in.
template <class Job>
PartResult sort_by_partition(const Job& job) {
  Buffers<Job> buffers(job);
  if (job.parts.parts() == 1) {
    sort_locally(job, buffers, job.n);
    return {buffers.in, job.n};
  }
  const Partition<Job> partition(job, sampled_cuts(job, sample_size(job.params)));
  const Counts counts = partition.counts();
  const CountsOfAll all_counts(job, counts);
  if (!all_counts.fit()) return histogram_sort(job);
  const Counts received = all_counts.received();
  std::size_t written_bytes = 0;
  if (job.alternates.empty()) {
    partition.move(runs_from(job.alternate, counts));
    buffers.swap();
    exchange(job, buffers, counts, received);
  } else {
    written_bytes = move_to_parts(job, partition, all_counts);
    buffers.swap();
  }
  sort_locally(job, buffers, total(received));
  return {buffers.in, total(received), written_bytes};
}

}  // namespace

PartNeeds needs_of_partition_sort(const PartRequest& request) {
  PartNeeds needs = needs_of_histogram_sort(request);
  const std::size_t for_items = local_workspace_bytes(needs.capacity, request);
  const std::size_t sample = std::min(request.most_n(), sample_size(request.params));
  needs.workspace_bytes =
      std::max({needs.workspace_bytes, for_items, sample_workspace_bytes(sample, request)});
  return needs;
}

PartResult partition_sort(const ErasedPartJob& e) {
  return with_job(e, [](const auto& job) { return sort_by_partition(job); });
}

}  // namespace sortlab::cpu::parts

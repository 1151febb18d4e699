// Buckets: a partition that goes on within the parts, so that what each of them gets is in pieces that suit a
// cache. The sort behind it then reads and writes each piece once.
//
//   rank 0   | 5 1 8 2 9 3 |                          | 1 . 2 . | 3 . . . |   sort each
//   rank 1   | 7 4 6 1 8 5 |   2 buckets per part ->  | 5 . 5 . | 7 . 8 . |   sort each
//                                                       ^ of rank 0, then of rank 1
//
// The cuts between buckets of one part come from a sample of all parts and need not be exact: a bucket that is too
// large for one thread is sorted by all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "common/utils.hpp"
#include "cpu/primitives/cache_line.hpp"
#include "cpu/primitives/parallel/loops.hpp"
#include "cpu/primitives/parts/exchange.hpp"
#include "cpu/primitives/parts/partition_calls.hpp"
#include "cpu/primitives/parts/sample.hpp"

namespace sortlab::cpu::parts {

/// How many buckets each part has. The same on all parts.
struct BucketPlan {
  std::size_t buckets;  // of each part; with 1, nothing is cut
  std::size_t most;     // items of a bucket that one thread sorts

  /// As many as need be for buckets of about `bucket_bytes`, if a tree of cuts has so many leaves.
  static BucketPlan of(std::size_t all_n, int parts, std::size_t key_bytes,
                       std::size_t bucket_bytes) {
    const auto count = static_cast<std::size_t>(parts);
    const std::size_t share = ceil_div(all_n, count);
    const std::size_t buckets = std::clamp<std::size_t>(
        share * key_bytes / bucket_bytes, 1, std::max<std::size_t>(kMostLeaves / count, 1));
    return {buckets, 2 * ceil_div(share, buckets)};
  }

  /// The workspace that each thread takes.
  std::size_t workspace_bytes(std::size_t key_bytes) const {
    const Params none;
    return round_up(local_variant().workspace_bytes({most, key_bytes, 0, 1, none}),
                    primitives::kLineBytes);
  }
};

/// The cuts between parts, with those between buckets among them. All parts must call it.
template <class Job, class Cuts = std::vector<ItemCut<BitsOf<typename Job::Key>>>>
Cuts with_cuts_between_buckets(const Job& job, const Sample<Job>& sample, const Cuts& cuts,
                               std::size_t buckets) {
  using Bits = BitsOf<typename Job::Key>;
  constexpr std::size_t kSamples = 16;  // of each bucket, from all parts: a deviation of 25 %
  std::vector<Bits> own(kSamples * buckets);
  for (std::size_t i = 0; i < own.size() && sample.size() != 0; ++i) {
    const std::size_t place = i * sample.size() / own.size();
    own[i] = SortedPart<Job>::bits(sample.sorted().keys[place]);
  }
  auto all = gathered(job.parts, std::span<const Bits>(own));
  std::sort(all.begin(), all.end());
  Cuts result;
  auto first = all.begin();
  ItemCut<Bits> before{0, 0};
  for (std::size_t part = 0; part <= cuts.size(); ++part) {
    const auto end =
        part == cuts.size() ? all.end() : std::upper_bound(first, all.end(), cuts[part].key);
    const auto count = static_cast<std::size_t>(end - first);
    for (std::size_t b = 1; b < buckets; ++b) {
      const auto place = first + static_cast<std::ptrdiff_t>(count * b / buckets);
      result.push_back(count == 0 ? before : ItemCut<Bits>{*place, 0});
    }
    if (part == cuts.size()) break;
    result.push_back(before = cuts[part]);
    first = end;
  }
  return result;
}

/// Sorts the keys of each bucket; they lie behind each other in `buffers`.
template <class Job>
void sort_buckets(const Job& job, Buffers<Job>& buffers, const Counts& counts,
                  const BucketPlan& plan) {
  Counts begin(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), std::size_t{0});
  const std::size_t workspace_bytes = plan.workspace_bytes(sizeof(typename Job::Key));
  const auto sort = [&](std::size_t bucket, std::span<std::byte> workspace, int threads) {
    const auto items = buffers.items.from(begin[bucket]), other = buffers.other.from(begin[bucket]);
    if (sort_locally(job, items, other, counts[bucket], workspace, threads) == ResultIn::alternate)
      std::copy_n(other.keys, counts[bucket], items.keys);
  };
  threads::for_each_part(counts.size(), job.threads, [&](std::size_t bucket, int t) {
    const std::size_t at = static_cast<std::size_t>(t) * workspace_bytes;
    if (counts[bucket] <= plan.most) sort(bucket, job.workspace.subspan(at, workspace_bytes), 1);
  });
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (counts[bucket] > plan.most) sort(bucket, job.workspace, job.threads);
  }
}

}  // namespace sortlab::cpu::parts

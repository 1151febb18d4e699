// Sort by a partition: cut by a sample, count, move each item to its part, and sort there, once. What
// cpu/ranks/partition does with an exchange, cpu/ranks/shared straight into the memory of the other parts, where
// keys alone lie in buckets (buckets.hpp), and cpu/ranks/hierarchical with many threads.
#pragma once

#include <algorithm>
#include <array>

#include "cpu/primitives/parts/buckets.hpp"
#include "cpu/primitives/parts/histogram_sort.hpp"
#include "cpu/primitives/parts/partition.hpp"

namespace sortlab::cpu::parts {

/// With 2^14 samples a share has a standard deviation of 0.8 %; parts have room for 4 % more than n/P.
inline constexpr ParamSpec kSampleParam = {"sample", 1 << 14, 1, 1 << 20,
                                           "items that each rank looks at for the splitters"};
inline constexpr std::array kPartitionParams = {kSampleParam};
/// One thread sorts pieces of 4 MiB without a distribution through memory (cpu/radix/simd).
inline constexpr std::array kSharedPartitionParams = {
    kSampleParam,
    ParamSpec{"bucket", 4096, 1, 1 << 30, "KiB of keys in the pieces that one thread sorts"}};

/// How many of its items a part looks at, if it has as many.
inline std::size_t sample_size(const Params& params) {
  return static_cast<std::size_t>(params["sample"]);
}

inline PartNeeds needs_of_partition_sort(const PartRequest& request) {
  PartNeeds needs = needs_of_histogram_sort(request);
  const std::size_t for_items = local_workspace_bytes(needs.capacity, request);
  const std::size_t sample = std::min(request.most_n(), sample_size(request.params));
  needs.workspace_bytes =
      std::max({needs.workspace_bytes, for_items, sample_workspace_bytes(sample, request)});
  return needs;
}

inline BucketPlan bucket_plan(std::size_t all_n, int parts, std::size_t key_bytes,
                              const Params& params) {
  return BucketPlan::of(all_n, parts, key_bytes, static_cast<std::size_t>(params["bucket"]) << 10);
}

/// The same for a sort that asks for shared memory, and cuts its parts into buckets there.
inline PartNeeds needs_of_shared_partition_sort(const PartRequest& request) {
  PartNeeds needs = needs_of_partition_sort(request);
  needs.shares_alternate = true;
  if (request.value_bytes != 0) return needs;
  const BucketPlan plan =
      bucket_plan(request.all_n, request.parts, request.key_bytes, request.params);
  if (plan.buckets == 1) return needs;
  const std::size_t for_buckets =
      static_cast<std::size_t>(request.threads) * plan.workspace_bytes(request.key_bytes);
  needs.workspace_bytes = std::max(needs.workspace_bytes, for_buckets);
  return needs;
}

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

/// Parts that share no memory partition into their own alternate buffer and exchange. If the sample was not
/// like the items, so that a part would get more than it has room for, the exact way comes in.
template <class Job>
PartResult partition_sort(const Job& job) {
  Buffers<Job> buffers(job);
  if (job.parts.parts() == 1) {
    sort_locally(job, buffers, job.n);
    return {buffers.in, job.n};
  }
  const Partition<Job> partition(job, sampled_cuts(job, {job, sample_size(job.params)}));
  const Counts counts = partition.counts();
  const CountsOfAll all_counts(job, counts);
  if (!all_counts.fit()) return histogram_sort(job);
  const Counts received = all_counts.received();
  partition.move(runs_from(job.alternate, counts));
  buffers.swap();
  exchange(job, buffers, counts, received);
  sort_locally(job, buffers, total(received));
  return {buffers.in, total(received)};
}

/// Parts that share memory move the items into each other's alternate buffers, keys alone in buckets.
template <class Job>
PartResult shared_partition_sort(const Job& job) {
  if (job.alternates.empty() || job.parts.parts() == 1) return partition_sort(job);
  const Sample<Job> sample(job, sample_size(job.params));
  auto cuts = sampled_cuts(job, sample);
  BucketPlan plan{1, 0};
  if (!Job::kPairs) {
    plan = bucket_plan(job.all_n, job.parts.parts(), sizeof(typename Job::Key), job.params);
  }
  if (plan.buckets > 1) cuts = with_cuts_between_buckets(job, sample, cuts, plan.buckets);
  const Partition<Job> partition(job, std::move(cuts));
  const Counts counts = partition.counts();
  const CountsOfAll all_counts(job, counts, plan.buckets);
  if (!all_counts.fit()) return histogram_sort(job);

  const Counts offsets = all_counts.offsets();
  std::vector<typename Buffers<Job>::PartItems> to;
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    to.push_back(job.alternates[bucket / plan.buckets].from(offsets[bucket]));
  }
  partition.move(to);
  job.parts.barrier();
  Buffers<Job> buffers(job);
  buffers.swap();
  const std::size_t received = total(all_counts.received());
  if (plan.buckets > 1) {
    sort_buckets(job, buffers, all_counts.received_by_bucket(), plan);
  } else {
    sort_locally(job, buffers, received);
  }
  const auto own = static_cast<std::size_t>(job.parts.part());
  const std::size_t sent = job.n - all_counts.sent(own, own);
  return {buffers.in, received,
          sent * (sizeof(typename Job::Key) + kValueBytes<typename Job::Value>)};
}

}  // namespace sortlab::cpu::parts

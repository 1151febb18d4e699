// Sort by a partition: cut by a sample, count, move each item to its part, and sort there, once. What
// cpu/ranks/partition does with an exchange, cpu/ranks/shared straight into the memory of the other parts, and
// cpu/ranks/hierarchical with many threads.
#pragma once

#include <algorithm>
#include <array>

#include "cpu/primitives/parts/histogram_sort.hpp"
#include "cpu/primitives/parts/partition.hpp"

namespace sortlab::cpu::parts {

/// With 2^14 samples a share has a standard deviation of 0.8 %; parts have room for 4 % more than n/P.
inline constexpr std::array kPartitionParams = {
    ParamSpec{"sample", 1 << 14, 1, 1 << 20, "items that each rank looks at for the splitters"}};

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
PartResult partition_sort(const Job& job) {
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

}  // namespace sortlab::cpu::parts

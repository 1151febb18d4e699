// Cuts, counts, moves and sorts, for all widths.
#include "cpu/primitives/parts/partition_sort.hpp"

#include <algorithm>

#include "cpu/primitives/parts/histogram_sort.hpp"
#include "cpu/primitives/parts/partition.hpp"

namespace sortlab::cpu::parts {
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

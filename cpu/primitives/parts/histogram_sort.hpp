// Histogram sort over parts: sort locally, cut evenly, exchange, merge. What cpu/ranks/histogram does, and
// partition_sort.hpp if its sample misleads it.
#pragma once

#include "cpu/primitives/parts/merge_received.hpp"
#include "cpu/primitives/parts/splitters.hpp"

namespace sortlab::cpu::parts {

constexpr std::uint64_t kProbes = 32;  // for each splitter and round

/// How far a splitter may be from its place: two splitters together change a part's size by at most
/// 4 %.
inline std::size_t tolerance_of(std::size_t items_of_a_part) { return items_of_a_part / 50; }

inline PartNeeds needs_of_histogram_sort(const PartRequest& request) {
  const std::size_t even = request.all_n / static_cast<std::size_t>(request.parts);
  return {request.most_n() + 2 * tolerance_of(even),
          local_workspace_bytes(request.most_n(), request)};
}

template <class Job>
PartResult histogram_sort(const Job& job) {
  Buffers<Job> buffers(job);
  sort_locally(job, buffers, job.n);
  const auto parts = static_cast<std::size_t>(job.parts.parts());
  const auto cuts = even_cuts(job.parts, SortedPart<Job>{buffers.items.keys, job.n}, job.all_n,
                              tolerance_of(job.all_n / parts), kProbes);
  Counts send_counts;
  std::size_t begin = 0;
  for (const auto& cut : cuts) {
    send_counts.push_back(cut.before - begin);
    begin = cut.before;
  }
  send_counts.push_back(job.n - begin);
  const Counts received = exchange(job, buffers, send_counts);
  merge_received(job, buffers, received);
  return {buffers.in, total(received)};
}

}  // namespace sortlab::cpu::parts

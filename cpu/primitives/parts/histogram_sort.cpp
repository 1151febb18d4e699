// Sorts, cuts, exchanges and merges, for all widths.
#include "cpu/primitives/parts/sorts.hpp"

#include "cpu/primitives/parts/merge_received.hpp"
#include "cpu/primitives/parts/splitters.hpp"

namespace sortlab::cpu::parts {

constexpr std::uint64_t kProbes = 32;  // for each splitter and round

template <class Job>
PartResult histogram_sort(const Job& job) {
  Buffers<Job> buffers(job);
  sort_locally(job, buffers, job.n);
  const auto parts = static_cast<std::size_t>(job.parts.parts());
  const auto cuts =
      even_cuts(job.parts, SortedPart<typename Job::Key>{buffers.items.keys, job.n, job.map},
                job.all_n, tolerance_of(job.all_n / parts), kProbes);
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

template PartResult histogram_sort(const RankJob<std::uint32_t, NoValue>&);
template PartResult histogram_sort(const RankJob<std::uint32_t, std::uint32_t>&);
template PartResult histogram_sort(const RankJob<std::uint64_t, NoValue>&);
template PartResult histogram_sort(const RankJob<std::uint64_t, std::uint32_t>&);

}  // namespace sortlab::cpu::parts

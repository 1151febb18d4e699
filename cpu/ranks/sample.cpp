// Sample sort with regular samples: sort, choose splitters from all ranks' samples, exchange, merge.
//
//     rank 0: sort  * . * . *            [ < s1 | < s2 | rest ]            runs of 0, 1, 2   merge
//     rank 1: sort  * . * . *   samples  [ < s1 | < s2 | rest ]  exchange  runs of 0, 1, 2   merge
//     rank 2: sort  * . * . *      ->    [ < s1 | < s2 | rest ]     ->     runs of 0, 1, 2   merge
//
// Over cpu/ranks/gather: every rank sorts n/P items and receives about as many, so the time falls with P
// until the samples of all ranks cost more than their sort. A splitter is a key with the rank and the place
// that it comes from. So equal keys are cut between two ranks as well, and no input, not even n equal keys,
// sends more than n/P + n/(P k) + (P+1) gaps to one rank, with k samples for each splitter.
// Passes: the local sort, one exchange, ceil(log2 P) merge passes. Bytes per item over the network: (P-1)/P
// of its size, once. Stable.
// Limits: P^2 k samples are sorted on every rank; the largest part may have 1/k more than n/P items.
// Source: Shi, Schaeffer, "Parallel Sorting by Regular Sampling", JPDC 1992; Blelloch et al., "A Comparison
// of Sorting Algorithms for the Connection Machine CM-2", SPAA 1991 (oversampling).
#include <algorithm>
#include <tuple>

#include "cpu/primitives/parts/merge_received.hpp"
#include "cpu/primitives/parts/regular_samples.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

/// A key's place in the order of all items: equal keys follow each other by rank, then by place.
template <class Bits>
struct Place {
  Bits key = 0;
  std::uint32_t rank = 0;
  std::uint64_t index = 0;

  bool operator<(const Place& other) const {
    return std::tie(key, rank, index) < std::tie(other.key, other.rank, other.index);
  }
};

template <class Job>
using PlaceOf = Place<typename Job::Key>;

/// The samples of all ranks, sorted.
template <class Job>
std::vector<PlaceOf<Job>> all_samples(const Job& job, const typename Job::Key* sorted) {
  const std::size_t wanted = samples_wanted(job.parts.parts(), job.params);
  const std::size_t own = std::min(wanted, job.n);
  std::vector<PlaceOf<Job>> samples(wanted);
  for (std::size_t i = 0; i < own; ++i) {
    const std::size_t at = job.n / own * i + job.n % own * i / own;
    samples[i] = {job.map.ordered(sorted[at]), static_cast<std::uint32_t>(job.parts.part()), at};
  }
  const auto counts = gathered(job.parts, own);
  const auto all = gathered(job.parts, std::span<const PlaceOf<Job>>(samples));
  std::vector<PlaceOf<Job>> taken;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * wanted);
    taken.insert(taken.end(), first, first + static_cast<std::ptrdiff_t>(counts[rank]));
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

/// How many of this rank's sorted items come before the splitter.
template <class Job>
std::size_t items_before(const Job& job, const typename Job::Key* sorted,
                         const PlaceOf<Job>& splitter) {
  const auto rank = static_cast<std::uint32_t>(job.parts.part());
  if (rank == splitter.rank) return splitter.index;
  const auto* const end = std::partition_point(sorted, sorted + job.n, [&](auto key) {
    const auto bits = job.map.ordered(key);
    return bits < splitter.key || (bits == splitter.key && rank < splitter.rank);
  });
  return static_cast<std::size_t>(end - sorted);
}

struct SampleSort {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "sample sort: regular samples, one exchange, merge",
                             .source = "Shi and Schaeffer 1992",
                             .after = "cpu/ranks/gather",
                             .stable = true,
                             .alternate = true,
                             .isas = kEveryIsa,
                             .params = kSampleParams};

  static PartNeeds needs(const PartRequest& request) {
    return {most_by_samples(request), local_workspace_bytes(request.most_n(), request)};
  }

  static PartResult sort_erased(const ErasedPartJob& e) {
    return with_job(e, [](const auto& job) { return sort(job); });
  }
  template <class Job>
  static PartResult sort(const Job& job) {
    Buffers<Job> buffers(job);
    sort_locally(job, buffers, job.n);
    const auto samples = all_samples(job, buffers.items.keys);

    const auto parts = static_cast<std::size_t>(job.parts.parts());
    Counts send_counts(parts);
    std::size_t begin = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t at = samples.size() * (part + 1) / parts;
      const std::size_t end = part + 1 < parts && !samples.empty()
                                  ? items_before(job, buffers.items.keys, samples[at])
                                  : job.n;
      send_counts[part] = end - begin;
      begin = end;
    }
    const Counts received = exchange(job, buffers, send_counts);
    merge_received(job, buffers, received);
    return {buffers.in, total(received)};
  }
};
SORTLAB_REGISTER(SampleSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

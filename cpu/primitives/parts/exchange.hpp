// The exchange: each part has one run of items for each part, and sends it there.
//
//   part 0: [ for 0 | for 1 | for 2 ]        part 0: [ of 0 | of 1 | of 2 ]
//   part 1: [ for 0 | for 1 | for 2 ]  --->  part 1: [ of 0 | of 1 | of 2 ]
//   part 2: [ for 0 | for 1 | for 2 ]        part 2: [ of 0 | of 1 | of 2 ]
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu/primitives/parts/local_sort.hpp"

namespace sortlab::cpu::parts {

using Counts = std::vector<std::size_t>;

inline std::size_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

/// How many items each part sends to each, and what each has room for: the same on all parts.
class CountsOfAll {
 public:
  /// All parts must call it. Part p sends send_counts[q] of its items to part q.
  template <class Job>
  CountsOfAll(const Job& job, const Counts& send_counts)
      : parts_(send_counts.size()), part_(static_cast<std::size_t>(job.parts.part())) {
    Counts own = send_counts;
    own.push_back(job.capacity);
    all_ = gathered(job.parts, std::span<const std::size_t>(own));
  }

  std::size_t sent(std::size_t from, std::size_t to) const {
    return all_[from * (parts_ + 1) + to];
  }

  /// The first part that would receive more than it has room for; the number of parts if there is none.
  std::size_t too_small() const {
    std::size_t to = 0;
    while (to < parts_ && total(to_part(to)) <= room(to)) ++to;
    return to;
  }
  bool fit() const { return too_small() == parts_; }

  /// Throws std::runtime_error, on all parts, unless all that is sent has room.
  void check() const {
    const std::size_t to = too_small();
    if (to == parts_) return;
    throw std::runtime_error("part " + std::to_string(to) + " would receive " +
                             std::to_string(total(to_part(to))) + " items and has room for " +
                             std::to_string(room(to)));
  }

  /// What this part receives from each.
  Counts received() const { return to_part(part_); }

  /// Where the items that this part sends to part `to` begin there: behind those of the parts before it.
  std::size_t offset_at(std::size_t to) const {
    std::size_t offset = 0;
    for (std::size_t from = 0; from < part_; ++from) offset += sent(from, to);
    return offset;
  }

 private:
  std::size_t room(std::size_t part) const { return sent(part, parts_); }
  Counts to_part(std::size_t to) const {
    Counts counts(parts_);
    for (std::size_t from = 0; from < parts_; ++from) counts[from] = sent(from, to);
    return counts;
  }

  std::size_t parts_, part_;
  Counts all_;
};

/// Sends the first send_counts[0] items to part 0, the next send_counts[1] to part 1, ... and receives
/// received[p] from each part p: the runs then lie in `buffers`, in the order of the parts that sent them.
template <class Job>
void exchange(const Job& job, Buffers<Job>& buffers, const Counts& send_counts,
              const Counts& received) {
  job.parts.all_to_all(buffers.items.keys, send_counts, buffers.other.keys, received,
                       sizeof(typename Job::Key));
  if constexpr (Job::kPairs) {
    job.parts.all_to_all(buffers.items.values, send_counts, buffers.other.values, received,
                         sizeof(typename Job::Value));
  }
  buffers.swap();
}

/// The same for parts that do not know yet what they receive, which it returns. Throws
/// std::runtime_error on all parts when one of them has no room for it.
template <class Job>
Counts exchange(const Job& job, Buffers<Job>& buffers, const Counts& send_counts) {
  const CountsOfAll counts(job, send_counts);
  counts.check();
  exchange(job, buffers, send_counts, counts.received());
  return counts.received();
}

}  // namespace sortlab::cpu::parts

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

/// How many items come from each part, when this one sends send_counts[p] to each part p. Throws
/// std::runtime_error on all parts if the items that one of them would receive do not fit into its
/// buffers.
template <class Job>
Counts counts_to_receive(const Job& job, const Counts& send_counts) {
  const auto parts = static_cast<std::size_t>(job.parts.parts());
  std::vector<std::size_t> own = send_counts;
  own.push_back(job.capacity);
  const auto all = gathered(job.parts, std::span<const std::size_t>(own));
  const auto sent = [&](std::size_t from, std::size_t to) { return all[from * (parts + 1) + to]; };
  Counts received(parts);
  for (std::size_t to = 0; to < parts; ++to) {
    std::size_t sum = 0;
    for (std::size_t from = 0; from < parts; ++from) sum += sent(from, to);
    if (const std::size_t room = all[to * (parts + 1) + parts]; sum > room) {
      throw std::runtime_error("part " + std::to_string(to) + " would receive " +
                               std::to_string(sum) + " items and has room for " +
                               std::to_string(room));
    }
  }
  for (std::size_t from = 0; from < parts; ++from) {
    received[from] = sent(from, static_cast<std::size_t>(job.parts.part()));
  }
  return received;
}

/// Sends the first send_counts[0] items to part 0, the next send_counts[1] to part 1, ... Returns how many came from each part: the
/// runs then lie in `buffers`, in the order of the parts that sent them.
template <class Job>
Counts exchange(const Job& job, Buffers<Job>& buffers, const Counts& send_counts) {
  const Counts received = counts_to_receive(job, send_counts);
  job.parts.all_to_all(buffers.items.keys, send_counts, buffers.other.keys, received,
                       sizeof(typename Job::Key));
  if constexpr (Job::kPairs) {
    job.parts.all_to_all(buffers.items.values, send_counts, buffers.other.values, received,
                         sizeof(typename Job::Value));
  }
  buffers.swap();
  return received;
}

}  // namespace sortlab::cpu::parts

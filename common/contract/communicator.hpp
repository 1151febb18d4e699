// How the parts of one sort talk to each other: the few collective operations that such a sort needs.
//
// Every part makes the same calls in the same order, as in MPI. The harness passes one with the job:
// over MPI (common/harness/ranks/mpi.cpp), or over threads, in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sortlab {

class Communicator {
 public:
  virtual ~Communicator() = default;

  /// How many parts there are, and which of them this one is: 0 .. parts()-1.
  virtual int parts() const = 0;
  virtual int part() const = 0;

  /// Returns when all parts have called it.
  virtual void barrier() = 0;

  /// Writes the `bytes` bytes at `from` of part 0, then those of part 1, ... to `to`, on all parts.
  virtual void all_gather(const void* from, std::size_t bytes, void* to) = 0;

  /// Replaces each value by its sum over all parts.
  virtual void all_sum(std::span<std::uint64_t> values) = 0;

  /// Sends send_counts[p] items to each part p, and receives receive_counts[p] from it. The items of
  /// part 0 come first, in both buffers, then those of part 1, ... An item has `item_bytes` bytes; no
  /// count is too large.
  virtual void all_to_all(const void* from, std::span<const std::size_t> send_counts, void* to,
                          std::span<const std::size_t> receive_counts, std::size_t item_bytes) = 0;
};

/// The `own` of all parts, in their order. `own` has the same length everywhere.
template <class T>
std::vector<T> gathered(Communicator& parts, std::span<const T> own) {
  std::vector<T> all(own.size() * static_cast<std::size_t>(parts.parts()));
  parts.all_gather(own.data(), own.size_bytes(), all.data());
  return all;
}

template <class T>
std::vector<T> gathered(Communicator& parts, const T& own) {
  return gathered(parts, std::span(&own, 1));
}

}  // namespace sortlab

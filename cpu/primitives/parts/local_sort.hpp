// The job of one part, and the sort of its own items with cpu/auto, which calls the suite's fastest sort for them.
#pragma once

#include <cstddef>

#include "common/contract/key_map.hpp"
#include "common/contract/parts.hpp"
#include "cpu/auto/sorts.hpp"

namespace sortlab::cpu::parts {

/// The job of one part. It has one C++ type per width of keys and values; the key type and the order are data. So each
/// sort has 4 instances instead of 24.
template <class Bits, class Value>
struct RankJob : PartOfSort<Bits, Value> {
  KeyKind keys;
  KeyMap<Bits> map = KeyMap<Bits>::of(keys);
};

/// Calls sort(job) with the job of the right widths.
template <class Sort>
PartResult with_job(const ErasedPartJob& e, Sort sort) {
  const Instance& types = *e.instance;
  return visit_widths(
      bytes_of(types.key_type), types.value_bytes, [&]<class Bits, class Value>(Bits, Value) {
        return sort(
            RankJob<Bits, Value>{PartOfSort<Bits, Value>::of(e), {types.key_type, types.order}});
      });
}

/// The workspace that a local sort of up to n items takes.
inline std::size_t local_workspace_bytes(std::size_t n, const PartRequest& request) {
  return fastest::stable::workspace_bytes(n, request.key_bytes, request.value_bytes,
                                          request.threads, {});
}

/// A part's two buffers: one holds the items, and the next pass writes to the other.
template <class Job>
struct Buffers {
  using PartItems = Items<typename Job::Key, typename Job::Value>;

  PartItems items, other;
  ResultIn in = ResultIn::data;

  explicit Buffers(const Job& job) : items(job.data), other(job.alternate) {}

  void swap() {
    std::swap(items, other);
    in = in == ResultIn::data ? ResultIn::alternate : ResultIn::data;
  }
};

/// Sorts the first n items of `buffers`, stably.
template <class Job>
void sort_locally(const Job& job, Buffers<Job>& buffers, std::size_t n) {
  const auto [key_type, order] = job.keys;
  const auto code = fastest::stable::codes(key_type, kValueBytes<typename Job::Value>, order);
  const ResultIn result =
      fastest::sort(code, buffers.items, buffers.other, n, job.workspace, job.threads, job.isa);
  if (result == ResultIn::alternate) buffers.swap();
}

}  // namespace sortlab::cpu::parts

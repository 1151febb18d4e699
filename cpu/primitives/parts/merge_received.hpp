// Merging of the sorted runs that an exchange has brought.
#pragma once

#include <cstddef>

#include "cpu/merge/merge_runs.hpp"
#include "cpu/primitives/parts/exchange.hpp"

namespace sortlab::cpu::parts {

/// Merges neighbouring runs two by two until one is left: ceil(log2 parts) passes over the items. Equal
/// keys stay in the order of the parts that sent them.
template <class Job>
void merge_received(Buffers<Job>& buffers, Counts runs) {
  std::erase(runs, 0);
  while (runs.size() > 1) {
    Counts merged;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      const std::size_t right = i + 1 < runs.size() ? runs[i + 1] : 0;
      const std::size_t mid = begin + runs[i], end = mid + right;
      merge::merge_runs<merge::PlainCopy>(buffers.items, {begin, mid}, {mid, end}, buffers.other,
                                          begin, typename Job::Less{});
      merged.push_back(end - begin);
      begin = end;
    }
    buffers.swap();
    runs = std::move(merged);
  }
}

}  // namespace sortlab::cpu::parts

// A kind of jobs that only tests have: one array of segments, each of which is sorted for itself.
#pragma once

#include <cstddef>
#include <span>

#include "common/contract/variant.hpp"

namespace sortlab {

struct ErasedSegmentsJob {
  const ErasedJob* array;             // all segments, one behind the other
  std::span<const std::size_t> ends;  // where each of them ends
};

template <class Key, class Value, Order kOrder>
struct SegmentsJob : Job<Key, Value, kOrder> {
  std::span<const std::size_t> ends;

  static SegmentsJob of(const ErasedSegmentsJob& e) {
    return {Job<Key, Value, kOrder>::of(*e.array), e.ends};
  }
};

struct Segments {
  static constexpr Kind kKind{"segments"};
  template <class Key, class Value, Order kOrder>
  using Job = SegmentsJob<Key, Value, kOrder>;
  using Erased = ErasedSegmentsJob;
  using Request = WorkspaceRequest;
  using Needs = std::size_t;  // bytes of the workspace
};

}  // namespace sortlab

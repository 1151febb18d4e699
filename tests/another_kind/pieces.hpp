// A kind of jobs that only tests have: one array of pieces, each of which is sorted for itself.
#pragma once

#include <cstddef>
#include <span>

#include "common/contract/variant.hpp"

namespace sortlab {

struct ErasedPiecesJob {
  const ErasedJob* array;             // all pieces, one behind the other
  std::span<const std::size_t> ends;  // where each of them ends
};

template <class Key, class Value, Order kOrder>
struct PiecesJob : Job<Key, Value, kOrder> {
  std::span<const std::size_t> ends;

  static PiecesJob of(const ErasedPiecesJob& e) {
    return {Job<Key, Value, kOrder>::of(*e.array), e.ends};
  }
};

struct Pieces {
  static constexpr Kind kKind{"pieces"};
  template <class Key, class Value, Order kOrder>
  using Job = PiecesJob<Key, Value, kOrder>;
  using Erased = ErasedPiecesJob;
  using Request = WorkspaceRequest;
  using Needs = std::size_t;  // bytes of the workspace
};

}  // namespace sortlab

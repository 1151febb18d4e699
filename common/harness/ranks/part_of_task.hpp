// What one part of a sort over ranks or GPUs takes of a task: its share of the input, and what its sort needs.
#pragma once

#include <optional>
#include <span>

#include "common/contract/parts.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/task.hpp"

namespace sortlab {

class PartOfTask {
 public:
  /// Of a sort on GPUs, the part's GPU must be the current one.
  PartOfTask(const Task& task, int parts, int part);

  int number() const { return request_.part; }
  Slice slice() const;
  const PartNeeds& needs() const { return needs_; }
  /// Of the two buffers and the workspace.
  std::size_t provided_bytes() const;
  /// Of those, and of `versions` inputs.
  std::size_t bytes_needed(int versions) const;

 private:
  std::size_t item_bytes_;
  PartRequest request_;
  PartNeeds needs_;
};

/// Items of the largest part over those of an even share; nothing without items.
std::optional<double> imbalance_of(std::span<const std::size_t> sizes);

}  // namespace sortlab

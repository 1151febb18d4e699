#include "common/harness/ranks/part_of_task.hpp"

#include <algorithm>
#include <numeric>

namespace sortlab {

PartOfTask::PartOfTask(const Task& task, int parts, int part)
    : item_bytes_(task.config.key_bytes() + task.config.value_bytes),
      request_{
          task.config.n,       parts,      part, task.config.key_bytes(), task.config.value_bytes,
          task.config.threads, task.params},
      needs_(task.over_device_parts() ? task.variant.needs<DeviceParts>(request_)
                                      : task.variant.needs<RankParts>(request_)) {}

Slice PartOfTask::slice() const {
  return {request_.begin(request_.part), request_.n(), request_.all_n};
}

std::size_t PartOfTask::provided_bytes() const {
  return 2 * needs_.capacity * item_bytes_ + needs_.workspace_bytes;
}

std::size_t PartOfTask::bytes_needed(int versions) const {
  return provided_bytes() + static_cast<std::size_t>(versions) * request_.n() * item_bytes_;
}

std::optional<double> imbalance_of(std::span<const std::size_t> sizes) {
  const std::size_t all = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  if (all == 0) return std::nullopt;
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  return static_cast<double>(largest) * static_cast<double>(sizes.size()) /
         static_cast<double>(all);
}

}  // namespace sortlab

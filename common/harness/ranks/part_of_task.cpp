#include "common/harness/ranks/part_of_task.hpp"

namespace sortlab {
namespace {

PartRequest request_of(const Task& task, const Communicator& parts) {
  return {task.config.n,           parts.parts(),       parts.part(), task.config.key_bytes(),
          task.config.value_bytes, task.config.threads, task.params};
}

}  // namespace

PartOfTask::PartOfTask(const Task& task, const Communicator& parts)
    : item_bytes_(task.config.key_bytes() + task.config.value_bytes),
      request_(request_of(task, parts)),
      needs_(task.variant.part_needs(request_)) {}

Slice PartOfTask::slice() const {
  return {request_.begin(request_.part), request_.n(), request_.all_n};
}

std::size_t PartOfTask::provided_bytes() const {
  return 2 * needs_.capacity * item_bytes_ + needs_.workspace_bytes;
}

std::size_t PartOfTask::bytes_needed(int versions) const {
  return provided_bytes() + static_cast<std::size_t>(versions) * request_.n() * item_bytes_;
}

}  // namespace sortlab

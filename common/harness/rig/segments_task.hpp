// What the rigs of sorts of segments need, on the host and on a GPU.
#pragma once

#include <memory>

#include "common/contract/segments.hpp"
#include "common/harness/input/lengths.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

inline HostCut cut_of(const Task& task) {
  return make_cut(task.config.lengths, task.config.n, task.config.seed);
}

/// The workspace of a sort of segments, in bytes. Only host sorts know the longest segment, unless it is a row.
inline std::size_t segments_workspace_bytes(const Task& task, const HostCut& cut) {
  const bool is_known = cut.cut.is_rows() || !task.on_device();
  return task.variant.needs<Segments>({.array = task.request(),
                                       .count = cut.cut.count,
                                       .longest = is_known ? cut.longest : task.config.n,
                                       .is_rows = cut.cut.is_rows()});
}

/// The rig of a sort of segments on a GPU. Throws OutOfDeviceMemory, NotCapturable.
std::unique_ptr<Rig> make_device_segments_rig(const Task& task, std::size_t misalign);

}  // namespace sortlab

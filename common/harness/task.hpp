// A resolved configuration: its variant's code, and the values of its parameters.
#pragma once

#include <cstddef>

#include "common/contract/device_parts.hpp"
#include "common/harness/config.hpp"

namespace sortlab {

struct Task {
  /// Throws BadInput if this build has no such variant, or if the variant has no code for these
  /// types.
  Task(Config configuration);  // NOLINT(google-explicit-constructor): a configuration will do

  Config config;
  const Variant& variant;
  const Instance& instance;
  Params params;

  bool on_device() const { return variant.info.memory == Memory::device; }
  bool uses_gpu() const { return variant.info.memory != Memory::host; }
  /// Whether several processes share the items.
  bool over_ranks() const { return variant.is<RankParts>(); }
  /// Whether the items lie in the memories of several GPUs.
  bool over_device_parts() const { return variant.is<DeviceParts>(); }

  /// Bytes of the keys and their values.
  std::size_t input_bytes() const { return config.n * (config.key_bytes() + config.value_bytes); }
  /// The workspace that the variant asks for, in bytes; 0 where the jobs are of another kind than one array.
  std::size_t workspace_bytes() const;
  WorkspaceRequest request() const;
  /// The data, the alternate buffer where the variant needs one, and the workspace, in bytes.
  std::size_t bytes_needed() const;

  /// The parts of a job that host and device sorts share: n, threads, instruction set. It points at
  /// this task's parameters.
  ErasedJob job() const;
};

}  // namespace sortlab

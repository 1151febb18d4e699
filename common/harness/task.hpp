// A configuration resolved once: the code that it names, and the values of its parameters.
#pragma once

#include <cstddef>

#include "common/harness/config.hpp"

namespace sortlab {

struct Task {
  /// Throws BadInput when this build has no such variant, or the variant no code for these types.
  Task(Config configuration);  // NOLINT(google-explicit-constructor): a configuration will do

  Config config;
  const Variant& variant;
  const Instance& instance;
  Params params;

  bool on_device() const { return variant.info.memory == Memory::device; }

  /// Bytes of the keys and their values.
  std::size_t input_bytes() const { return config.n * (config.key_bytes() + config.value_bytes); }
  /// The workspace that the variant asks for, in bytes.
  std::size_t workspace_bytes() const;
  /// The data, the alternate buffer where the variant needs one, and the workspace, in bytes.
  std::size_t bytes_needed() const;

  /// The job's parts that a host sort and a device sort have in common: n, threads, instruction set.
  /// It points at this task's parameters.
  ErasedJob job() const;
};

}  // namespace sortlab

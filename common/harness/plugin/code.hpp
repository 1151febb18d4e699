// The functions of one sort of a loaded plug-in. They take the jobs of today's
// include/sortlab_plugin.h, also for plug-ins of older versions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "include/sortlab_plugin.h"

namespace sortlab {

/// Each returns what the plug-in returns: SORTLAB_OK, SORTLAB_FAILED, ... All but sort() are optional
/// in a plug-in, and then do nothing.
class PluginCode {
 public:
  virtual ~PluginCode() = default;
  /// Sorts with the code of PluginSortFacts::instances[instance].
  virtual std::int32_t sort(std::size_t instance, const sortlab_job& job) const = 0;
  /// Sets `bytes`, which the caller has set to 0.
  virtual std::int32_t workspace_bytes(const sortlab_job& job, std::size_t& bytes) const = 0;
  /// Sets `state`, which the caller has set to null.
  virtual std::int32_t create(const sortlab_job& job, void*& state) const = 0;
  virtual void destroy(void* state) const = 0;
};

}  // namespace sortlab

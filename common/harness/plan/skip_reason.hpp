// Why a configuration can't run, or is not worth running.
#pragma once

#include <cstddef>
#include <string>

#include "common/harness/config.hpp"

namespace sortlab {

/// What the user's file holds, as far as it decides what can run.
struct FileFacts {
  std::size_t keys = 0;
  bool needs_total_order = false;  // it holds a NaN or -0
};

/// "" when the configuration is to be run. `file` counts for the user's own keys only.
std::string skip_reason(const Variant& variant, const Config& config, const FileFacts& file);

}  // namespace sortlab

// Why a configuration can't run, or is not worth running.
#pragma once

#include <cstddef>
#include <string>

#include "common/harness/config.hpp"

namespace sortlab {

/// The facts about the user's file that decide which configurations can run.
struct FileFacts {
  std::size_t keys = 0;
  bool needs_total_order = false;  // it holds a NaN or -0
};

/// "" when the configuration is to be run. `file` counts for the user's own keys only.
std::string skip_reason(const Variant& variant, const Config& config, const FileFacts& file);

}  // namespace sortlab

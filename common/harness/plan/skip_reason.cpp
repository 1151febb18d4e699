#include "common/harness/plan/skip_reason.hpp"

#include <fmt/format.h>

#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {

std::string skip_reason(const Variant& variant, const Config& config, const FileFacts& file) {
  if (const std::string reason = variant.unavailable(); !reason.empty()) return reason;
  if (variant.info.memory == Memory::device && !device_unavailable().empty()) {
    return device_unavailable();
  }
  if (variant.instance(config.key_type, config.value_bytes, config.order) == nullptr) {
    return fmt::format("has no code for {}{}", name_of(config.key_type),
                       config.has_pairs() ? " pairs" : "");
  }
  const bool any_floats = config.dist.name == "special" || file.needs_total_order;
  if (!variant.info.total_order && is_floating(config.key_type) && any_floats) {
    return "does not order -0, +0 and NaNs as all others do";
  }
  if (config.launch == Launch::graph && !variant.info.capturable) {
    return "can't be captured into a graph: the host decides what to launch next";
  }
  if (config.dist.name == "file" && config.n > file.keys) {
    return fmt::format("the file holds {} keys", file.keys);
  }
  if (config.has_pairs() && config.n > UINT32_MAX) {
    return "u32 values number no more than 2^32 - 1 items";
  }
  if (const Limit limit = variant.limit(config.dist.name); config.n > limit.max_n) {
    return fmt::format("n over {}: {}", limit.max_n, limit.reason);
  }
  if (config.dist.name == "special") return std::string(kCorrectnessOnly);
  return "";
}

}  // namespace sortlab

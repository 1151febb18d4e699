#include "common/harness/rig/rig.hpp"

#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/host_rig.hpp"

namespace sortlab {
namespace {

std::string in_gib(std::size_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1u << 30));
}

}  // namespace

const Variant& variant_of(const Config& config) {
  const Variant* const variant = find_variant(config.variant);
  if (variant == nullptr) throw BadInput("no variant " + config.variant + " in this build");
  return *variant;
}

const Instance& instance_of(const Config& config) {
  const Instance* const instance =
      variant_of(config).instance(config.key_type, config.value_bytes, config.order);
  if (instance == nullptr) throw BadInput(config.variant + " has no code for these types");
  return *instance;
}

std::size_t workspace_bytes(const Config& config) {
  const Variant& variant = variant_of(config);
  const Params params = config.parsed_params(variant);
  return variant.workspace_bytes(
      {config.n, bytes_of(config.key_type), config.value_bytes, config.threads, params});
}

ErasedJob job_of(const Config& config, const Params& params) {
  ErasedJob job{};
  job.instance = &instance_of(config);
  job.n = config.n;
  job.threads = config.threads;
  job.isa = best_of(variant_of(config).info.isas, usable_isa());
  job.params = &params;
  return job;
}

std::unique_ptr<Rig> make_rig(const Config& config, std::size_t misalign) {
  if (variant_of(config).info.memory == Memory::device) return make_device_rig(config, misalign);
  return std::make_unique<HostRig>(config, misalign);
}

std::string fault_of(Rig& rig, const Verdict& verdict) {
  const std::string overrun = rig.overrun();
  return overrun.empty() ? verdict.fault() : overrun;
}

std::string lacks_memory(const Config& config) {
  std::size_t needed = InputPool::bytes_needed(config);
  if (variant_of(config).info.memory == Memory::host) {
    needed += HostRig::bytes_needed(config);
  } else {
    if (const std::string reason = device_lacks_memory(config); !reason.empty()) return reason;
    if (config.host_mem != HostMem::none) {
      needed += config.n * (bytes_of(config.key_type) + config.value_bytes);
    }
  }
  const std::size_t available = available_memory_bytes();
  if (needed <= available) return "";
  return fmt::format("needs {}, {} are available", in_gib(needed), in_gib(available));
}

}  // namespace sortlab

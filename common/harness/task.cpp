#include "common/harness/task.hpp"

#include <utility>

#include "common/contract/errors.hpp"

namespace sortlab {
namespace {

const Variant& variant_of(const Config& config) {
  const Variant* const variant = find_variant(config.variant);
  if (variant == nullptr) throw BadInput("no variant " + config.variant + " in this build");
  return *variant;
}

const Instance& instance_of(const Config& config, const Variant& variant) {
  const Instance* const instance =
      variant.instance(config.key_type, config.value_bytes, config.order);
  if (instance == nullptr) throw BadInput(config.variant + " has no code for these types");
  return *instance;
}

}  // namespace

Task::Task(Config configuration)
    : config(std::move(configuration)),
      variant(variant_of(config)),
      instance(instance_of(config, variant)),
      params(config.parsed_params(variant)) {}

std::size_t Task::workspace_bytes() const {
  if (!variant.is<OneArray>()) return 0;  // their rigs know
  return variant.workspace_bytes(request());
}

WorkspaceRequest Task::request() const {
  return {config.n, config.key_bytes(), config.value_bytes, config.threads, params, &instance};
}

std::size_t Task::bytes_needed() const {
  return input_bytes() * (instance.traits.alternate ? 2 : 1) + workspace_bytes();
}

ErasedJob Task::job() const {
  ErasedJob job{};
  job.instance = &instance;
  job.n = config.n;
  job.threads = config.threads;
  job.isa = best_of(variant.info.isas, usable_isa());
  job.params = &params;
  job.record = config.record;
  return job;
}

}  // namespace sortlab

#include "tests/fuzz/stand_ins.hpp"

#include <nlohmann/json.hpp>

#include "common/harness/plan/axes.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace sortlab::fuzzing {
namespace {

struct Plain {
  static constexpr Info info{.summary = "plain", .stable = true};
  template <class Job>
  static ResultIn sort(const Job&) {
    return ResultIn::data;
  }
};

constexpr ParamSpec kParams[] = {
    {"block", 64, 1, 4096, "items of a block"},
    {"cutoff", 24, INT64_MIN, INT64_MAX, "items left to another sort"}};
struct Parallel : Plain {
  static constexpr Info info{.summary = "parallel", .parallel = true, .params = kParams};
};

struct OnDevice : Plain {
  static constexpr Info info{.summary = "device", .memory = Memory::device};
};

template <class Impl>
void add(const char* id) {
  register_variant(
      detail::describe<Impl>(id, "cpp", TypeList<std::uint32_t, double>{}, KeysOnly{}));
}

std::size_t configurations(const Axes& axes) {
  double count = 1;
  for (const auto size :
       {axes.variants.size(), axes.sizes.size(), axes.types.size(), axes.dists.size(),
        axes.value_sizes.size(), axes.sweep.size(),
        std::max(axes.threads.size(), axes.host_mems.size() * axes.launches.size())}) {
    count *= static_cast<double>(size);
  }
  return static_cast<std::size_t>(std::min(count, 1e18));
}

/// A configuration must not change on its way to the worker and back.
void check(const Config& config) {
  const auto again = nlohmann::json::parse(nlohmann::json(config).dump()).get<Config>();
  require(again.id() == config.id(), "a configuration that its JSON changes");
  require(!config.benchmark_name().empty(), "a configuration without a name");
  (void)config.parsed_params(*find_variant(config.variant));
}

}  // namespace

void register_stand_ins() {
  add<Plain>("cpu/test/plain");
  add<Parallel>("cpu/test/parallel");
  add<OnDevice>("gpu/test/device");
}

void plan_small(const Selection& selection) {
  constexpr std::size_t kMost = 500;
  if (configurations(parse(selection)) > kMost) return;
  for (const auto& planned : plan(selection)) check(planned.config);
}

}  // namespace sortlab::fuzzing

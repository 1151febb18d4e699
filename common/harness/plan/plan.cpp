#include "common/harness/plan/plan.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/contract/isa.hpp"
#include "common/contract/numbers.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/contract/variant_table.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/kinds/kinds.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/axes.hpp"
#include "common/harness/plan/selection.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

/// Of each key type.
#define SORTLAB_ROW(type, Key, other_names) other_names,
constexpr std::string_view kOtherNames[] = {SORTLAB_KEY_TYPES(SORTLAB_ROW)};
#undef SORTLAB_ROW

std::vector<std::string> names_of_variants() {
  std::vector<std::string> ids;
  for (const auto& variant : all_variants()) ids.push_back(variant.id);
  return ids;
}

/// A member of a configuration, and the values that it takes in turn.
template <class T>
struct Axis {
  T Config::*member;
  const std::vector<T>& values;
};
template <class T>
Axis(T Config::*, const std::vector<T>&) -> Axis<T>;

/// Calls f(config) for each combination of values; those of the last axis change fastest.
template <class F>
void for_each_of(const Config& config, F f) {
  f(config);
}
template <class F, class T, class... More>
void for_each_of(Config config, F f, Axis<T> first, More... others) {
  for (const T& value : first.values) {
    config.*first.member = value;
    for_each_of(config, f, others...);
  }
}

/// Calls f(config) for each load and input: loads x sizes x types x distributions x kinds of values.
template <class F>
void for_each_input(const Axes& axes, F f) {
  const auto if_held = [&](const Config& c) {
    if (axes.holds(c.n, c.key_type, c.dist, c.value_bytes)) f(c);
  };
  const auto for_each_type = [&](Config config) {
    for (const auto& [type, record] : axes.types) {
      config.key_type = type;
      config.record = record;
      for_each_of(config, if_held, Axis{&Config::dist, axes.dists},
                  Axis{&Config::value_bytes, axes.value_sizes});
    }
  };
  for_each_of(axes.common, for_each_type, Axis{&Config::load, axes.loads},
              Axis{&Config::n, axes.sizes});
}

std::string isa_of(const Variant& variant) {
  if (variant.info.memory == Memory::device) return "";
  if (variant.isa_name != nullptr) return variant.isa_name(variant);
  return std::string(name_of(best_of(variant.info.isas, usable_isa())));
}

/// The configuration in which a variant, with these parameters, sorts the input of `config`.
Config configured(Config config, const Variant& variant, const Assignments& assignments) {
  const Info& info = variant.info;
  config.variant = variant.id;
  config.device = info.memory == Memory::host ? cpu_model() : gpu_name();
  config.isa = isa_of(variant);
  config.lib_version = info.lib_version;
  const Instance* const instance =
      variant.instance(config.key_type, config.value_bytes, config.order);
  const Traits traits = instance != nullptr ? instance->traits : Traits::of(info);
  config.stable = traits.stable;
  config.in_place = traits.in_place;
  config.temp_policy = traits.temp_policy;
  config.params = params_text(variant, assignments);
  return config;
}

/// The host memory of a sort of host data with a GPU's help: pinned, unless the user says otherwise. Its threads stage
/// pageable memory.
HostMem host_mem_of_offload(HostMem wanted) {
  if (wanted == HostMem::none) return HostMem::pinned;
  return wanted == HostMem::pageable ? HostMem::staged : wanted;
}

/// Calls f(config) for each way to run a variant: numbers of ranks or lists of GPUs that share its items, numbers of
/// threads on the host, memory modes, caps and launch modes on the device. A way may come twice.
template <class F>
void for_each_way(const Axes& axes, const Variant& variant, Config config, F f) {
  const Info& info = variant.info;
  const std::vector<int> one_thread = {1}, no_ranks = {0};
  const std::vector<Devices> no_devices(1);
  const std::vector<Lengths> no_segments(1);
  const std::vector<Wanted> no_top(1);
  const Handling& kind = handling_of(variant);
  const Axis ranks{&Config::ranks, kind.has_ranks ? axes.ranks : no_ranks};
  const Axis devices{&Config::devices, kind.has_devices ? axes.devices : no_devices};
  const Axis segments{&Config::lengths, kind.has_segments ? axes.lengths : no_segments};
  const Axis tops{&Config::top, kind.has_top ? axes.tops : no_top};
  const Axis threads{&Config::threads, info.parallel ? axes.threads : one_thread};
  const Axis host_mems{&Config::host_mem, axes.host_mems};
  const Axis gpu_mems{&Config::gpu_mem, axes.gpu_mems};
  if (info.memory == Memory::both) {
    const auto in_host_memory = [&](Config way) {
      way.host_mem = host_mem_of_offload(way.host_mem);
      f(way);
    };
    for_each_of(config, in_host_memory, ranks, devices, host_mems, gpu_mems, threads);
    return;
  }
  if (info.memory == Memory::device) {
    config.threads = 0;
    for_each_of(config, f, ranks, devices, segments, tops, host_mems, gpu_mems,
                Axis{&Config::launch, axes.launches});
    return;
  }
  config.pinned = axes.pin;
  if (!kind.has_ranks || !axes.own_threads || !info.parallel) {
    for_each_of(config, f, ranks, segments, tops, threads);
    return;
  }
  const auto with_share = [&](Config way) {  // the ranks of a host share its CPUs
    way.threads = std::max(1, usable_cpus() / std::max(1, way.ranks));
    f(way);
  };
  for_each_of(config, with_share, ranks);
}

/// A wish that only some sorts can meet.
struct SpecialWish {
  std::vector<std::string> Selection::*wish;
  std::string_view flag, needs;
  bool (*can_be_met)(const Variant&);
};

bool uses_gpu(const Variant& variant) { return variant.info.memory != Memory::host; }

constexpr SpecialWish kSpecialWishes[] = {
    {&Selection::segments, "--segments", "sorts segments",
     [](const Variant& variant) { return handling_of(variant).has_segments; }},
    {&Selection::best, "--best", "finds the best K items",
     [](const Variant& variant) { return handling_of(variant).has_top; }},
    {&Selection::ranks, "--ranks", "sorts over ranks",
     [](const Variant& variant) { return handling_of(variant).has_ranks; }},
    {&Selection::devices, "--devices", "sorts over several GPUs",
     [](const Variant& variant) { return handling_of(variant).has_devices; }},
    {&Selection::host_mem, "--host-mem", "uses a GPU", &uses_gpu},
    {&Selection::gpu_mem, "--gpu-mem", "uses a GPU", &uses_gpu},
    {&Selection::launch, "--launch", "uses a GPU", &uses_gpu}};

/// Throws BadInput for a wish that no sort of the selections can meet.
void check_special_wishes(const std::vector<Selection>& selections) {
  for (const SpecialWish& special : kSpecialWishes) {
    std::string asked;
    bool is_met = false;
    for (const Selection& selection : selections) {
      const auto& texts = selection.*special.wish;
      if (!texts.empty() && asked.empty()) asked = texts.front();
      const auto variants = select_variants(selection.filters);
      is_met |= std::any_of(variants.begin(), variants.end(),
                            [&](const Variant* variant) { return special.can_be_met(*variant); });
    }
    if (asked.empty() || is_met) continue;
    throw bad_input("{} {} has no effect: no chosen sort {}", special.flag, asked, special.needs);
  }
}

/// The configurations in groups of one key each, in order of their first.
template <class KeyOf>
std::vector<std::vector<Planned>> grouped_by(const std::vector<Planned>& planned, KeyOf key_of) {
  std::vector<std::vector<Planned>> groups;
  std::map<std::string, std::size_t> place;
  for (const auto& p : planned) {
    const auto [entry, is_new] = place.try_emplace(key_of(p.config), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(p);
  }
  return groups;
}

}  // namespace

KeyType parse_key_type(std::string_view text) {
  for (int i = 0; i < kKeyTypeCount; ++i) {
    const auto names = split(kOtherNames[i], ' ');
    if (kKeyTypeNames[i] == text || std::find(names.begin(), names.end(), text) != names.end()) {
      return static_cast<KeyType>(i);
    }
  }
  const std::vector<std::string> known(std::begin(kKeyTypeNames), std::end(kKeyTypeNames));
  throw unknown_name("type", text, known);
}

RecordShape parse_record_shape(std::string_view text) {
  const auto colon = text.find(':');
  const auto bytes = parse_whole(text.substr(0, colon));
  const auto key_bytes =
      colon == std::string_view::npos ? std::nullopt : parse_whole(text.substr(colon + 1));
  const RecordShape shape{bytes.value_or(0), key_bytes.value_or(0)};
  if (shape.is_possible()) return shape;
  throw bad_input(
      "--record {}: BYTES:KEY, as in 100:10: records of {} to {} bytes that begin with "
      "keys of 1 byte or more",
      text, RecordShape::kLeastBytes, RecordShape::kMostBytes);
}

std::string reason_left_out(const std::string& glob) {
  for (const auto& [id, reason] : variant_table().left_out) {
    if (fnmatch(glob.c_str(), std::string(id).c_str(), 0) == 0) return std::string(reason);
  }
  return "";
}

BadInput no_such_variant(const std::string& name) {
  if (const std::string reason = reason_left_out(name); !reason.empty()) {
    return bad_input("{} is not in this build: {}", name, reason);
  }
  if (name.starts_with("gpu/") && std::string_view(kCudaCompiler).empty()) {
    return bad_input("{} is not in this build, which has no CUDA (./run --cuda build)", name);
  }
  return unknown_name("variant", name, names_of_variants());
}

bool names_any_variant(const std::string& glob) {
  return std::any_of(all_variants().begin(), all_variants().end(),
                     [&](const Variant& variant) { return names(glob, variant); });
}

std::vector<const Variant*> select_variants(const std::vector<std::string>& globs) {
  for (const auto& glob : globs) {
    if (!names_any_variant(glob)) throw no_such_variant(glob);
  }
  std::vector<const Variant*> selected;
  for (const auto& variant : all_variants()) {
    const bool wanted = globs.empty() || std::any_of(globs.begin(), globs.end(), [&](auto& glob) {
                          return names(glob, variant);
                        });
    if (wanted) selected.push_back(&variant);
  }
  return selected;
}

std::vector<Planned> plan(const Selection& selection) {
  const Axes axes = parse(selection);
  std::vector<Planned> planned;
  std::set<std::string> seen;
  for_each_input(axes, [&](const Config& input) {
    for (const Variant* variant : axes.variants) {
      if (!any_names(selection.filters, *variant, input.key_type, input.value_bytes, input.n)) {
        continue;
      }
      for (const auto& assignments : axes.sweep) {
        const Config config = configured(input, *variant, assignments);
        for_each_way(axes, *variant, config, [&](const Config& way) {
          if (!seen.insert(way.id()).second) return;  // no parameter of the sweep's own
          planned.push_back({way, skip_reason(*variant, way, axes.file)});
        });
      }
    }
  });
  return planned;
}

std::vector<Planned> plan_all(const std::vector<Selection>& selections) {
  std::vector<Planned> planned;
  std::set<std::string> seen;
  for (const Selection& selection : selections) {
    for (auto& p : plan(selection)) {
      if (seen.insert(p.config.id()).second) planned.push_back(std::move(p));
    }
  }
  check_special_wishes(selections);  // after the values: a wrong one is the user's first fault
  return planned;
}

std::vector<Planned> in_rounds(const std::vector<Planned>& planned, int rounds) {
  const auto loads = grouped_by(planned, [](const Config& config) { return text_of(config.load); });
  std::vector<Planned> all;
  const auto add = [&](const std::vector<Planned>& group, bool is_first_round) {
    for (const auto& p : group) {
      if (is_first_round || p.skip_reason.empty()) all.push_back(p);
    }
  };
  if (loads.size() > 1) {
    for (int round = 0; round < rounds; ++round) {
      for (const auto& group : loads) add(group, round == 0);
    }
    return all;
  }
  if (rounds == 1) return planned;
  for (const auto& group : grouped_by(planned, input_key)) {
    for (int round = 0; round < rounds; ++round) add(group, round == 0);
  }
  return all;
}

}  // namespace sortlab

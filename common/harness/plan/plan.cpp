#include "common/harness/plan/plan.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"
#include "common/contract/this_cpu.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/contract/variant_table.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/axes.hpp"
#include "common/harness/plan/groups.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

/// Names of the key types in C, C++, NumPy and SQL.
constexpr std::pair<std::string_view, KeyType> kUsualNames[] = {
    {"uint32", KeyType::u32},   {"uint32_t", KeyType::u32}, {"uint", KeyType::u32},
    {"unsigned", KeyType::u32}, {"int32", KeyType::i32},    {"int32_t", KeyType::i32},
    {"int", KeyType::i32},      {"integer", KeyType::i32},  {"uint64", KeyType::u64},
    {"uint64_t", KeyType::u64}, {"size_t", KeyType::u64},   {"int64", KeyType::i64},
    {"int64_t", KeyType::i64},  {"long", KeyType::i64},     {"bigint", KeyType::i64},
    {"float32", KeyType::f32},  {"float", KeyType::f32},    {"real", KeyType::f32},
    {"float64", KeyType::f64},  {"double", KeyType::f64}};

std::vector<std::string> names_of_variants() {
  std::vector<std::string> ids;
  for (const auto& variant : all_variants()) ids.push_back(variant.id);
  return ids;
}

/// Calls f(config) for each load and input: loads x sizes x types x distributions x kinds of values.
template <class F>
void for_each_input(const Axes& axes, F f) {
  Config config = axes.common;
  for (const Load& load : axes.loads) {
    for (const std::size_t n : axes.sizes) {
      for (const auto& [type, record] : axes.types) {
        for (const auto& dist : axes.dists) {
          for (const std::size_t value_bytes : axes.value_sizes) {
            if (!axes.holds(n, type, dist, value_bytes)) continue;
            config.load = load;
            config.n = n;
            config.key_type = type;
            config.record = record;
            config.dist = dist;
            config.value_bytes = value_bytes;
            f(config);
          }
        }
      }
    }
  }
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

/// Calls f(config) for each number of ranks and of threads of each rank.
template <class F>
void for_each_way_over_ranks(const Axes& axes, const Info& info, Config config, F f) {
  for (const int ranks : axes.ranks) {
    config.ranks = ranks;
    const int share = std::max(1, usable_cpus() / std::max(1, ranks));
    const std::vector<int> threads = axes.own_threads ? std::vector{share} : axes.threads;
    for (const int count : info.parallel ? threads : std::vector{1}) {
      config.threads = count;
      f(config);
    }
  }
}

/// The host memory of a sort of host data with a GPU's help: pinned, unless the user says otherwise. Its threads stage
/// pageable memory.
HostMem host_mem_of_offload(HostMem wanted) {
  if (wanted == HostMem::none) return HostMem::pinned;
  return wanted == HostMem::pageable ? HostMem::staged : wanted;
}

/// Calls f(config) for each kind of host memory, cap and number of threads of such a sort. A kind may come twice.
template <class F>
void for_each_way_of_offload(const Axes& axes, const Info& info, Config config, F f) {
  for (const HostMem host_mem : axes.host_mems) {
    config.host_mem = host_mem_of_offload(host_mem);
    for (const std::size_t gpu_mem : axes.gpu_mems) {
      config.gpu_mem = gpu_mem;
      for (const int threads : info.parallel ? axes.threads : std::vector{1}) {
        config.threads = threads;
        f(config);
      }
    }
  }
}

/// Calls f(config) for each memory mode, cap and launch mode of a sort on the device.
template <class F>
void for_each_way_on_device(const Axes& axes, Config config, F f) {
  config.threads = 0;
  for (const HostMem host_mem : axes.host_mems) {
    for (const std::size_t gpu_mem : axes.gpu_mems) {
      for (const Launch launch : axes.launches) {
        config.host_mem = host_mem;
        config.gpu_mem = gpu_mem;
        config.launch = launch;
        f(config);
      }
    }
  }
}

/// Calls f(config) for each list of GPUs, or number of ranks with a GPU each, that may share the items of a sort.
template <class F>
void for_each_share_on_devices(const Axes& axes, const Info& info, Config config, F f) {
  if (info.parts == Parts::ranks) {
    for (const int ranks : axes.ranks) {
      config.ranks = ranks;
      f(config);
    }
    return;
  }
  for (const Devices& devices :
       info.parts == Parts::devices ? axes.devices : std::vector<Devices>(1)) {
    config.devices = devices;
    f(config);
  }
}

/// Calls f(config) for each way to run a variant: lists of GPUs, memory modes, caps and launch modes on the device,
/// numbers of threads on the host.
template <class F>
void for_each_way(const Axes& axes, const Info& info, Config config, F f) {
  if (info.memory != Memory::host) {
    for_each_share_on_devices(axes, info, config, [&](const Config& share) {
      if (info.memory == Memory::both) {
        for_each_way_of_offload(axes, info, share, f);
      } else {
        for_each_way_on_device(axes, share, f);
      }
    });
    return;
  }
  config.pinned = axes.pin;
  if (info.parts == Parts::ranks) {
    for_each_way_over_ranks(axes, info, config, f);
    return;
  }
  for (const int threads : info.parallel ? axes.threads : std::vector<int>{1}) {
    config.threads = threads;
    f(config);
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
    if (kKeyTypeNames[i] == text) return static_cast<KeyType>(i);
  }
  for (const auto& [name, type] : kUsualNames) {
    if (name == text) return type;
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
  throw BadInput(
      fmt::format("--record {}: BYTES:KEY, as in 100:10: records of {} to {} bytes that begin with "
                  "keys of 1 byte or more",
                  text, RecordShape::kLeastBytes, RecordShape::kMostBytes));
}

std::string reason_left_out(const std::string& glob) {
  for (const auto& [id, reason] : variant_table().left_out) {
    if (fnmatch(glob.c_str(), std::string(id).c_str(), 0) == 0) return std::string(reason);
  }
  return "";
}

BadInput no_such_variant(const std::string& name) {
  if (const std::string reason = reason_left_out(name); !reason.empty()) {
    return BadInput(fmt::format("{} is not in this build: {}", name, reason));
  }
  if (name.starts_with("gpu/") && std::string_view(kCudaCompiler).empty()) {
    return BadInput(
        fmt::format("{} is not in this build, which has no CUDA (./run --cuda build)", name));
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
        for_each_way(axes, variant->info, config, [&](const Config& way) {
          if (!seen.insert(way.id()).second) return;  // no parameter of the sweep's own
          planned.push_back({way, skip_reason(*variant, way, axes.file)});
        });
      }
    }
  });
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

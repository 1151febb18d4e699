#include "common/harness/plan/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/json_value.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/ranks/launch.hpp"

namespace sortlab {
namespace {

/// The value that `text` names in `names`, the names of Enum's values in their order.
template <class Enum, std::size_t kCount>
Enum parse_name(std::string_view what, std::string_view text,
                const std::string_view (&names)[kCount]) {
  const std::vector<std::string> known(std::begin(names), std::end(names));
  return static_cast<Enum>(index_of_name(what, text, known));
}

/// Calls f(part) for each part of comma-separated lists.
template <class F>
void for_each_part(const std::vector<std::string>& texts, F f) {
  for (const auto& text : texts) {
    for (const auto part : split(text, ',')) f(part);
  }
}

/// The values of the parts of comma-separated lists; `fallback` for no list.
template <class Value, class Parse>
std::vector<Value> parse_parts(const std::vector<std::string>& texts, Parse parse, Value fallback) {
  std::vector<Value> values;
  for_each_part(texts, [&](std::string_view part) { values.push_back(parse(part)); });
  if (values.empty()) values.push_back(fallback);
  return values;
}

std::vector<int> parse_threads(const std::vector<std::string>& texts) {
  std::set<int> counts;
  for_each_part(texts, [&](std::string_view part) { counts.insert(parse_thread_count(part)); });
  if (counts.empty()) counts.insert(usable_cpus());
  return {counts.begin(), counts.end()};
}

std::size_t count_of_ranks(std::string_view text) {
  if (text == "all") return static_cast<std::size_t>(usable_cpus());
  if (text == "nodes") return numa_nodes(allowed_cpus()).size();
  const std::size_t count = count_in(text).value_or(0);
  if (count >= 1 && count <= 4096) return count;
  throw bad_input("--ranks {}: a count from 1 to 4096, all (CPUs) or nodes (NUMA nodes)", text);
}

std::vector<int> parse_ranks(const std::vector<std::string>& texts) {
  const auto launched = launched_as();
  std::set<int> counts;
  for_each_part(texts, [&](std::string_view part) {
    const std::size_t count = count_of_ranks(part);
    if (launched && static_cast<std::size_t>(launched->ranks) != count) {
      throw bad_input("--ranks {}: the launcher started {}", part, launched->ranks);
    }
    counts.insert(static_cast<int>(count));
  });
  if (counts.empty()) counts.insert(launched ? launched->ranks : 0);
  return {counts.begin(), counts.end()};
}

/// A text is one list of GPUs, commas and all.
std::vector<Devices> parse_all_devices(const std::vector<std::string>& texts) {
  std::vector<Devices> all;
  for (const auto& text : texts) all.push_back(parse_devices(text));
  if (all.empty()) all.emplace_back();
  return all;
}

std::size_t parse_gpu_mem(std::string_view text) {
  const std::size_t cap = parse_count(text);
  if (cap == 0) throw BadInput("--gpu-mem 0: bytes, as in 8G");
  return cap;
}

std::vector<std::size_t> parse_value_sizes(const std::vector<std::string>& texts) {
  const std::vector<std::string> names = value_names();
  std::vector<std::size_t> sizes;
  for (const auto& text : texts) {
    sizes.push_back(kValueWidths[index_of_name("kind of values", text, names)]);
  }
  return sizes;
}

std::vector<Assignments> parse_sweep(const std::vector<std::string>& texts,
                                     const std::vector<const Variant*>& variants) {
  std::vector<Assignments> sweep;
  for (const auto& text : texts) {
    sweep.push_back(parse_assignments(text));
    check_assignments(sweep.back(), variants);
  }
  if (sweep.empty()) sweep.emplace_back();
  return sweep;
}

/// Whether there is a NaN or a -0.
bool needs_total_order(const KeyFile& file) {
  return visit_key_type(file.type, [&]<class Key>(Key key) {
    if constexpr (std::is_floating_point_v<Key>) {
      for (std::size_t i = 0; i < file.count; ++i) {
        std::memcpy(&key, file.bytes.data() + i * sizeof(Key), sizeof(Key));
        if (std::isnan(key) || (key == 0 && std::signbit(key))) return true;
      }
    }
    return false;
  });
}

/// "@real" or one distribution.
void add_distributions(std::string_view text, std::vector<Distribution>& dists) {
  if (text != kRealInputs) {
    dists.push_back(parse_distribution(text));
    return;
  }
  for (const auto& info : all_distributions()) {
    if (info.usage.is_real()) dists.push_back(parse_distribution(info.name));
  }
}

/// Sizes in the order given; for "typical" the distributions decide.
void parse_all_sizes(const std::vector<std::string>& texts, Axes& axes) {
  for (const auto& text : texts) {
    if (text == kTypicalSizes) {
      axes.own_sizes = true;
      continue;
    }
    for (const std::size_t n : parse_sizes(text)) axes.sizes.push_back(n);
  }
  if (axes.own_sizes && !axes.sizes.empty()) {
    throw bad_input("--n {}: no other sizes may stand beside it", kTypicalSizes);
  }
}

/// Fills the lists of the axes whose values the distributions decide.
void fill_own_axes(Axes& axes) {
  std::set<std::size_t> sizes, value_sizes;
  std::set<KeyType> types;
  for (const Distribution& dist : axes.dists) {
    const Usage usage = usage_of(dist);
    sizes.insert(usage.n);
    for (const KeyType type : kKeyTypes) {
      if (usage.types.has(type)) types.insert(type);
    }
    for (const std::size_t bytes : kValueWidths) {
      if (usage.has_value_bytes(bytes)) value_sizes.insert(bytes);
    }
  }
  if (axes.own_sizes) axes.sizes.assign(sizes.begin(), sizes.end());
  if (axes.own_types) {
    for (const KeyType type : types) axes.types.push_back({type});
  }
  if (axes.own_values) axes.value_sizes.assign(value_sizes.begin(), value_sizes.end());
}

/// The user's own keys are a separate distribution, at the file's size unless sizes were given.
void use_file(const std::string& path, Axes& axes) {
  if (!axes.dists.empty()) throw BadInput("--input and --dist exclude each other");
  if (!is_utf8(path)) {
    throw bad_input(
        "--input {}: the name is no UTF-8, as CSV and JSON must be: rename or link the "
        "file",
        path);
  }
  if (axes.types.size() > 1) throw BadInput("--input takes one --type");
  const auto wanted = axes.types.empty() ? std::nullopt : std::optional(axes.types.front().type);
  if (wanted == KeyType::record) throw BadInput("--input and --record exclude each other");
  const KeyFile file = read_key_file(path, wanted, axes.common.input_format);
  axes.types = {{file.type}};
  axes.dists = {{"file", dist_param_of(file)}};
  axes.file = {file.count, needs_total_order(file)};
  if (axes.sizes.empty()) axes.sizes = {file.count};
}

}  // namespace

Axes parse(const Selection& selection) {
  constexpr std::string_view kOrderNames[] = {"asc", "desc"};
  Axes axes;
  axes.variants = select_variants(selection.filters);
  Config& common = axes.common;
  common.order = parse_name<Order>("order", selection.order, kOrderNames);
  axes.threads = parse_threads(selection.threads);
  axes.own_threads = selection.threads.empty();
  axes.ranks = parse_ranks(selection.ranks);
  axes.devices = parse_all_devices(selection.devices);
  common.cache = parse_name<CacheState>("cache state", selection.cache, kCacheStateNames);
  const auto host_mem_of = [](auto part) {
    return parse_name<HostMem>("host memory", part, kHostMemNames);
  };
  axes.host_mems = parse_parts(selection.host_mem, host_mem_of, HostMem::none);
  axes.gpu_mems = parse_parts(selection.gpu_mem, parse_gpu_mem, std::size_t{0});
  const auto launch_of = [](auto part) {
    return parse_name<Launch>("kind of launch", part, kLaunchNames);
  };
  axes.launches = parse_parts(selection.launch, launch_of, Launch::stream);
  axes.loads = parse_parts(
      selection.load, [](auto part) { return parse_load(part, usable_cpus()); }, Load{});
  axes.lengths = parse_parts(selection.segments, parse_lengths, Lengths{});
  axes.tops = parse_parts(selection.best, parse_wanted, Wanted{});
  axes.value_sizes = parse_value_sizes(selection.values);
  axes.sweep = parse_sweep(selection.params, axes.variants);
  for_each_part(selection.types, [&](auto part) { axes.types.push_back({parse_key_type(part)}); });
  for_each_part(selection.records, [&](auto part) {
    axes.types.push_back({KeyType::record, parse_record_shape(part)});
  });
  for_each_part(selection.dists, [&](auto part) { add_distributions(part, axes.dists); });
  parse_all_sizes(selection.sizes, axes);
  axes.pin = selection.pin;
  common.seed = selection.seed;
  common.energy = selection.energy;
  common.counters = selection.counters;
  common.input_path = selection.input;
  common.input_format =
      parse_name<FileFormat>("input format", selection.input_format, kFileFormatNames);

  if (!selection.input.empty()) use_file(selection.input, axes);
  if (axes.dists.empty()) axes.dists = {parse_distribution("uniform")};
  if (axes.sizes.empty() && !axes.own_sizes) axes.sizes = {std::size_t{1} << 20};
  axes.own_types = axes.types.empty();
  axes.own_values = axes.value_sizes.empty();
  fill_own_axes(axes);
  return axes;
}

bool Axes::holds(std::size_t n, KeyType type, const Distribution& dist,
                 std::size_t value_bytes) const {
  const Usage usage = usage_of(dist);
  return (!own_sizes || n == usage.n) && (!own_types || usage.types.has(type)) &&
         (!own_values || usage.has_value_bytes(value_bytes));
}

}  // namespace sortlab

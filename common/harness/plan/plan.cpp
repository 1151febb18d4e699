#include "common/harness/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "common/contract/errors.hpp"
#include "common/contract/this_cpu.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/plan/groups.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> names_of_variants() {
  std::vector<std::string> ids;
  for (const auto& variant : all_variants()) ids.push_back(variant.id);
  return ids;
}

Order parse_order(const std::string& text) {
  if (text == "asc") return Order::ascending;
  if (text == "desc") return Order::descending;
  const std::vector<std::string> known = {"asc", "desc"};
  throw unknown_name("order", text, known);
}

void require_one_of(std::string_view what, const std::string& given,
                    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) == known.end()) {
    throw unknown_name(what, given, known);
  }
}

/// The names in comma-separated lists, all of them known ones; the first known one for no list.
std::vector<std::string> parse_names(std::string_view what, const std::vector<std::string>& texts,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (const auto& text : texts) {
    for (const auto part : split(text, ',')) {
      names.emplace_back(part);
      require_one_of(what, names.back(), known);
    }
  }
  if (names.empty()) names = {known.front()};
  return names;
}

std::vector<int> parse_threads(const std::vector<std::string>& texts) {
  std::set<int> counts;
  for (const auto& text : texts) {
    for (const auto part : split(text, ',')) {
      if (part == "all") {
        counts.insert(hardware_threads());
        continue;
      }
      const std::size_t count = parse_count(part);
      if (count < 1 || count > 4096) {
        throw BadInput(fmt::format("--threads {}: a count from 1 to 4096, or all", part));
      }
      counts.insert(static_cast<int>(count));
    }
  }
  if (counts.empty()) counts.insert(hardware_threads());
  return {counts.begin(), counts.end()};
}

FileFormat parse_file_format(const std::string& text) {
  const std::vector<std::string> known = {"auto", "npy", "sosd", "raw", "text"};
  require_one_of("input format", text, known);
  return static_cast<FileFormat>(std::find(known.begin(), known.end(), text) - known.begin());
}

using Assignments = std::map<std::string, std::int64_t, std::less<>>;

Assignments parse_assignments(const std::string& text) {
  Assignments assignments;
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    std::int64_t value = 0;
    const char* const begin = part.data() + std::min(equals + 1, part.size());
    const char* const end = part.data() + part.size();
    const auto parsed = std::from_chars(begin, end, value);
    if (equals == std::string_view::npos || equals == 0 || parsed.ec != std::errc{} ||
        parsed.ptr != end) {
      throw BadInput(fmt::format("--param {}: '{}' is not name=integer", text, part));
    }
    assignments[std::string(part.substr(0, equals))] = value;
  }
  return assignments;
}

/// Every parameter that is set must belong to one of the variants, and fit it.
void check_assignments(const Assignments& assignments,
                       const std::vector<const Variant*>& variants) {
  for (const auto& [name, value] : assignments) {
    std::vector<std::string> known;
    for (const Variant* variant : variants) {
      for (const auto& spec : variant->info.params) {
        known.emplace_back(spec.name);
        if (spec.name == name && (value < spec.min || value > spec.max)) {
          throw BadInput(fmt::format("--param {}={}: {} takes {} to {}", name, value, variant->id,
                                     spec.min, spec.max));
        }
      }
    }
    if (known.empty()) {
      throw BadInput(fmt::format("--param {}: none of the selected variants has parameters", name));
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      throw unknown_name("parameter of the selected variants", name, known);
    }
  }
}

std::string params_text(const Variant& variant, const Assignments& assignments) {
  std::string text;
  for (const auto& spec : variant.info.params) {
    const auto set = assignments.find(spec.name);
    const std::int64_t value = set == assignments.end() ? spec.fallback : set->second;
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", spec.name, value);
  }
  return text;
}

/// What the user's file holds, as far as it decides what can run.
struct FileFacts {
  std::size_t keys = 0;
  bool needs_total_order = false;  // it holds a NaN or -0
};

template <class Key>
bool holds_nan_or_minus_zero(const KeyFile& file) {
  for (std::size_t i = 0; i < file.count; ++i) {
    Key key;
    std::memcpy(&key, file.bytes.data() + i * sizeof(Key), sizeof(Key));
    if (std::isnan(key) || (key == 0 && std::signbit(key))) return true;
  }
  return false;
}

bool needs_total_order(const KeyFile& file) {
  if (file.type == KeyType::f32) return holds_nan_or_minus_zero<float>(file);
  return file.type == KeyType::f64 && holds_nan_or_minus_zero<double>(file);
}

/// Why a configuration is not to be run; "" when it is.
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
  if (config.launch == "graph" && !variant.info.capturable) {
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

/// What a range of sizes is multiplied by: any number from 1.01 on, or as a count (2, 1e3, 1K).
double parse_factor(std::string_view text, std::string_view range) {
  double factor = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, factor);
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    factor = static_cast<double>(parse_count(text));
  }
  if (!(factor >= 1.01)) {
    throw BadInput(fmt::format("'{}' is no range: its factor is below 1.01", range));
  }
  return factor;
}

}  // namespace

std::size_t parse_count(std::string_view text) {
  const auto malformed = [&] {
    return BadInput(fmt::format("'{}' is no count: 1000, 1e6, 16K, 4M, 1G (powers of 1024)", text));
  };
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{}) throw malformed();
  if (parsed.ptr != end) {
    const auto power = std::string_view("KMG").find(*parsed.ptr);
    if (power == std::string_view::npos || parsed.ptr + 1 != end) throw malformed();
    value *= std::pow(1024.0, static_cast<double>(power + 1));
  }
  if (value < 0 || value > 9e15 || value != std::floor(value)) throw malformed();
  return static_cast<std::size_t>(value);
}

std::vector<std::size_t> parse_sizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (const auto part : split(text, ',')) {
    const auto dots = part.find("..");
    if (dots == std::string_view::npos) {
      sizes.push_back(parse_count(part));
      continue;
    }
    std::string_view last_text = part.substr(dots + 2);
    double factor = 2;
    if (const auto star = last_text.find('*'); star != std::string_view::npos) {
      factor = parse_factor(last_text.substr(star + 1), part);
      last_text = last_text.substr(0, star);
    }
    const std::size_t first = parse_count(part.substr(0, dots));
    const std::size_t last = parse_count(last_text);
    if (first == 0 || first > last) {
      throw BadInput(
          fmt::format("'{}' is no range: FIRST..LAST or FIRST..LAST*FACTOR, with "
                      "0 < FIRST <= LAST and FACTOR >= 1.01",
                      part));
    }
    for (double exact = static_cast<double>(first); exact <= static_cast<double>(last);
         exact *= factor) {
      const auto n = static_cast<std::size_t>(std::round(exact));
      if (exact == static_cast<double>(first) || n != sizes.back()) sizes.push_back(n);
    }
  }
  return sizes;
}

KeyType parse_key_type(std::string_view text) {
  for (int i = 0; i < kKeyTypeCount; ++i) {
    if (kKeyTypeNames[i] == text) return static_cast<KeyType>(i);
  }
  const std::vector<std::string> known(std::begin(kKeyTypeNames), std::end(kKeyTypeNames));
  throw unknown_name("type", text, known);
}

std::vector<const Variant*> select_variants(const std::vector<std::string>& globs) {
  for (const auto& glob : globs) {
    const bool matches_any =
        std::any_of(all_variants().begin(), all_variants().end(),
                    [&](const Variant& variant) { return names(glob, variant); });
    if (!matches_any) throw unknown_name("variant", glob, names_of_variants());
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
  const auto variants = select_variants(selection.filters);
  const Order order = parse_order(selection.order);
  const auto threads = parse_threads(selection.threads);
  require_one_of("cache state", selection.cache, {"hot", "cold"});
  const auto host_mems =
      parse_names("host memory", selection.host_mem, {"none", "pageable", "pinned", "staged"});
  const auto launches = parse_names("kind of launch", selection.launch, {"stream", "graph"});

  std::vector<std::size_t> value_sizes;
  for (const auto& value : selection.values) {
    require_one_of("kind of values", value, {"keys", "pairs"});
    value_sizes.push_back(value == "pairs" ? sizeof(std::uint32_t) : 0);
  }
  if (value_sizes.empty()) value_sizes = {0};

  std::vector<Assignments> sweep;
  for (const auto& text : selection.params) {
    sweep.push_back(parse_assignments(text));
    check_assignments(sweep.back(), variants);
  }
  if (sweep.empty()) sweep.emplace_back();

  std::vector<KeyType> types;
  for (const auto& text : selection.types) {
    for (const auto part : split(text, ',')) types.push_back(parse_key_type(part));
  }
  std::vector<Distribution> dists;
  for (const auto& text : selection.dists) {
    for (const auto part : split(text, ',')) dists.push_back(parse_distribution(part));
  }
  std::vector<std::size_t> sizes;
  for (const auto& text : selection.sizes) {
    for (const std::size_t n : parse_sizes(text)) sizes.push_back(n);
  }

  Config config;
  config.order = order;
  config.seed = selection.seed;
  config.cache = selection.cache;
  config.energy = selection.energy;
  config.input_path = selection.input;
  config.input_format = parse_file_format(selection.input_format);

  // The user's own keys: a distribution of their own, at the file's size unless sizes were given.
  FileFacts file_facts;
  if (!selection.input.empty()) {
    if (!dists.empty()) throw BadInput("--input and --dist exclude each other");
    const auto wanted = types.empty() ? std::nullopt : std::optional(types.front());
    if (types.size() > 1) throw BadInput("--input takes one --type");
    const KeyFile file = read_key_file(selection.input, wanted, config.input_format);
    types = {file.type};
    dists = {{"file", fmt::format("{}@{:08x}", file.name, file.content_hash & 0xffffffffu)}};
    file_facts = {file.count, needs_total_order(file)};
    if (sizes.empty()) sizes = {file.count};
  }
  if (types.empty()) types = {KeyType::u32};
  if (dists.empty()) dists = {parse_distribution("uniform")};
  if (sizes.empty()) sizes = {std::size_t{1} << 20};

  const Isa isa = usable_isa();
  std::vector<Planned> planned;
  std::set<std::string> seen;
  for (const std::size_t n : sizes) {
    for (const KeyType type : types) {
      for (const auto& dist : dists) {
        for (const std::size_t value_bytes : value_sizes) {
          for (const Variant* variant : variants) {
            if (!any_names(selection.filters, *variant, type, value_bytes, n)) continue;
            const Info& info = variant->info;
            config.variant = variant->id;
            const bool on_device = info.memory == Memory::device;
            config.device = on_device ? gpu_name() : cpu_model();
            config.isa = on_device ? ""
                         : variant->isa_name != nullptr
                             ? variant->isa_name()
                             : std::string(name_of(best_of(info.isas, isa)));
            config.lib_version = info.lib_version;
            config.stable = info.stable;
            config.in_place = info.in_place;
            config.temp_policy = info.temp_policy;
            config.key_type = type;
            config.value_bytes = value_bytes;
            config.n = n;
            config.dist = dist;
            for (const auto& assignments : sweep) {
              config.params = params_text(*variant, assignments);
              const auto add = [&] {
                if (!seen.insert(config.id()).second) return;  // no parameter of the sweep's own
                planned.push_back({config, skip_reason(*variant, config, file_facts)});
              };
              if (on_device) {
                config.threads = 0;
                config.pinned = false;
                for (const auto& host_mem : host_mems) {
                  for (const auto& launch : launches) {
                    config.host_mem = host_mem;
                    config.launch = launch;
                    add();
                  }
                }
                continue;
              }
              config.host_mem = "none";
              config.launch = "stream";
              for (const int count : info.parallel ? threads : std::vector<int>{1}) {
                config.threads = count;
                config.pinned = selection.pin;
                add();
              }
            }
          }
        }
      }
    }
  }
  return planned;
}

std::vector<Planned> in_rounds(const std::vector<Planned>& planned, int rounds) {
  if (rounds == 1) return planned;
  std::vector<std::vector<Planned>> by_input;
  std::map<std::string, std::size_t> place;
  for (const auto& p : planned) {
    const auto [entry, is_new] = place.try_emplace(input_key(p.config), by_input.size());
    if (is_new) by_input.emplace_back();
    by_input[entry->second].push_back(p);
  }
  std::vector<Planned> all;
  for (const auto& group : by_input) {
    for (int round = 0; round < rounds; ++round) {
      for (const auto& p : group) {
        if (round == 0 || p.skip_reason.empty()) all.push_back(p);
      }
    }
  }
  return all;
}

}  // namespace sortlab

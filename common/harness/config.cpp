#include "common/harness/config.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/choose/json_reading.hpp"
#include "common/harness/record/row_numbers.hpp"
#include "common/utils.hpp"

namespace sortlab {
namespace {

/// An enumeration's value, read from its number; `last` is the largest one.
template <class Enum>
Enum one_of(const nlohmann::json& value, Enum last) {
  return static_cast<Enum>(whole_of<int>(value, 0, static_cast<int>(last)));
}

RecordShape record_of(const nlohmann::json& value) {
  const auto bytes =
      whole_of<std::size_t>(value.at(0), RecordShape::kLeastBytes, RecordShape::kMostBytes);
  return {bytes, whole_of<std::size_t>(value.at(1), 1, bytes)};
}

}  // namespace

std::string Config::algorithm() const {
  const auto first = variant.find('/') + 1;
  return variant.substr(first, variant.find('/', first) - first);
}

std::string Config::key_name() const {
  return key_type == KeyType::record ? name_of(record) : std::string(name_of(key_type));
}

std::size_t Config::key_bytes() const {
  return key_type == KeyType::record ? record.bytes : bytes_of(key_type);
}

std::vector<std::pair<std::string, std::string>> Config::columns() const {
  return {{"algorithm", algorithm()},
          {"variant", variant},
          {"device", device},
          {"isa", isa},
          {"lib_version", lib_version},
          {"stable", stable ? "1" : "0"},
          {"in_place", in_place ? "1" : "0"},
          {"key_type", key_name()},
          {"value_bytes", std::to_string(value_bytes)},
          {"order", std::string(name_of(order))},
          {"n", std::to_string(n)},
          {"dist", dist.name},
          {"dist_param", dist.param},
          {"seed", std::to_string(seed)},
          {"threads", std::to_string(threads)},
          {"pinned_threads", pinned ? "1" : "0"},
          {"params", params},
          {"host_mem", std::string(name_of(host_mem))},
          {"temp_policy", std::string(name_of(temp_policy))},
          {"cache", std::string(name_of(cache))},
          {"launch", std::string(name_of(launch))},
          {"devices", devices_text(devices)},
          {"ranks", ranks == 0 ? "" : std::to_string(ranks)},
          {"memory_limit_bytes", gpu_mem == 0 ? "" : std::to_string(gpu_mem)},
          {"load", text_of(load)}};
}

std::string Config::id() const { return config_id(columns()); }

std::string config_id(const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string all;
  for (const auto& [name, value] : columns) all += value + '\x1f';
  return fmt::format("{:016x}", fnv1a(all));
}

std::string Config::benchmark_name() const {
  const auto all = columns();
  return configuration_name({all.begin(), all.end()});
}

std::string configuration_name(const std::map<std::string, std::string>& columns) {
  const auto value_bytes = whole_in(columns, "value_bytes");
  std::string name = fmt::format("{}/{}{}/{}/{}", columns.at("variant"), columns.at("key_type"),
                                 value_bytes != 0 ? fmt::format("+u{}", 8 * value_bytes) : "",
                                 columns.at("order"), columns.at("dist"));
  if (const auto& param = columns.at("dist_param"); !param.empty()) name += ":" + param;
  name += "/n:" + columns.at("n");
  if (const auto& threads = columns.at("threads"); threads != "0") name += "/threads:" + threads;
  if (const auto& ranks = columns.at("ranks"); !ranks.empty()) name += "/ranks:" + ranks;
  if (const auto& gpus = columns.at("devices"); !gpus.empty()) name += "/devices:" + gpus;
  if (const auto& params = columns.at("params"); !params.empty()) name += "/" + params;
  if (const auto& host_mem = columns.at("host_mem"); host_mem != "none") name += "/" + host_mem;
  if (const auto& limit = columns.at("memory_limit_bytes"); !limit.empty())
    name += "/gpu_mem:" + limit;
  if (const auto& launch = columns.at("launch"); launch != "stream") name += "/" + launch;
  if (const auto& load = columns.at("load"); load != "0") name += "/load:" + load;
  return name;
}

Params Config::parsed_params(const Variant& owner) const {
  Params parsed(owner.info.params);
  std::string_view rest = params;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(';'));
    const auto equals = pair.find('=');
    parsed.set(pair.substr(0, equals), std::stoll(std::string(pair.substr(equals + 1))));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  return parsed;
}

void to_json(nlohmann::json& json, const Config& c) {
  json = {{"variant", c.variant},
          {"device", c.device},
          {"isa", c.isa},
          {"lib_version", c.lib_version},
          {"stable", c.stable},
          {"in_place", c.in_place},
          {"key_type", c.key_type},
          {"record", {c.record.bytes, c.record.key_bytes}},
          {"value_bytes", c.value_bytes},
          {"order", c.order},
          {"n", c.n},
          {"dist", c.dist.name},
          {"dist_param", c.dist.param},
          {"seed", c.seed},
          {"threads", c.threads},
          {"ranks", c.ranks},
          {"devices", c.devices},
          {"pinned", c.pinned},
          {"params", c.params},
          {"host_mem", c.host_mem},
          {"gpu_mem", c.gpu_mem},
          {"temp_policy", c.temp_policy},
          {"cache", c.cache},
          {"launch", c.launch},
          {"load", text_of(c.load)},
          {"input_path", c.input_path},
          {"input_format", c.input_format},
          {"energy", c.energy},
          {"counters", c.counters}};
}

void from_json(const nlohmann::json& json, Config& c) {
  json.at("variant").get_to(c.variant);
  json.at("device").get_to(c.device);
  json.at("isa").get_to(c.isa);
  json.at("lib_version").get_to(c.lib_version);
  json.at("stable").get_to(c.stable);
  json.at("in_place").get_to(c.in_place);
  c.key_type = one_of(json.at("key_type"), KeyType::record);
  if (c.key_type == KeyType::record) c.record = record_of(json.at("record"));
  c.value_bytes = whole_of<std::size_t>(json.at("value_bytes"), 0, sizeof(std::uint32_t));
  c.order = one_of(json.at("order"), Order::descending);
  c.n = whole_of<std::size_t>(json.at("n"));
  json.at("dist").get_to(c.dist.name);
  json.at("dist_param").get_to(c.dist.param);
  c.seed = whole_of<std::uint64_t>(json.at("seed"));
  c.threads = whole_of<int>(json.at("threads"), 0);
  c.ranks = whole_of<int>(json.at("ranks"), 0);
  c.devices.clear();
  for (const auto& number : json.at("devices")) {
    c.devices.push_back(whole_of<int>(number, 0, kMostDeviceParts - 1));
  }
  json.at("pinned").get_to(c.pinned);
  json.at("params").get_to(c.params);
  c.host_mem = one_of(json.at("host_mem"), HostMem::staged);
  c.gpu_mem = whole_of<std::size_t>(json.at("gpu_mem"));
  c.temp_policy = one_of(json.at("temp_policy"), TempPolicy::cached);
  c.cache = one_of(json.at("cache"), CacheState::cold);
  c.launch = one_of(json.at("launch"), Launch::graph);
  c.load = parse_load(json.at("load").get<std::string>(), 0);
  json.at("input_path").get_to(c.input_path);
  c.input_format = one_of(json.at("input_format"), FileFormat::text);
  json.at("energy").get_to(c.energy);
  json.at("counters").get_to(c.counters);
}

}  // namespace sortlab

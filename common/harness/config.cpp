#include "common/harness/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/record/csv.hpp"
#include "common/utils.hpp"

namespace sortlab {
namespace {

Devices first_devices(std::size_t count) {
  Devices devices(count);
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

}  // namespace

Devices parse_devices(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (std::string_view rest = text;;) {
    const auto end = rest.find_first_of(",+");
    numbers.push_back(parse_whole(rest.substr(0, end)).value_or(UINT64_MAX));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const bool is_count = numbers.size() == 1;
  const std::uint64_t most = is_count ? kMostDeviceParts : kMostDeviceParts - 1;
  const bool fit = *std::max_element(numbers.begin(), numbers.end()) <= most;
  if (!fit || numbers.size() > kMostDeviceParts || (is_count && numbers.front() == 0)) {
    throw bad_input("--devices {}: a count of GPUs from 1 to {}, or their numbers, as in 0,2", text,
                    kMostDeviceParts);
  }
  return is_count ? first_devices(numbers.front()) : Devices(numbers.begin(), numbers.end());
}

std::string devices_text(const Devices& devices) {
  if (devices.empty()) return "";
  if (devices == first_devices(devices.size())) return std::to_string(devices.size());
  return fmt::format("{}", fmt::join(devices, "+"));
}

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
  std::vector<std::pair<std::string, std::string>> all;
  for (const Field& field : config_fields()) {
    if (field.has_column) all.emplace_back(field.name, field.value.text(*this));
  }
  return all;
}

std::string name_of_values(std::size_t bytes) { return fmt::format("u{}", 8 * bytes); }

std::vector<std::string> value_names() {
  std::vector<std::string> names = {"keys", "pairs"};
  for (std::size_t i = names.size(); i < kValueWidths.size(); ++i) {
    names.push_back(name_of_values(kValueWidths[i]));
  }
  return names;
}

std::string name_of_types(std::string_view key_type, std::size_t value_bytes,
                          std::string_view plus) {
  std::string name(key_type);
  if (value_bytes != 0) name.append(plus).append(name_of_values(value_bytes));
  return name;
}

std::string Config::id() const { return config_id(columns()); }

std::string config_id(const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string all;
  for (const auto& [name, value] : columns) {
    if (!value.empty() || !is_later_column(name)) all += value + '\x1f';
  }
  return fmt::format("{:016x}", fnv1a(all));
}

std::string Config::benchmark_name() const {
  const auto all = columns();
  return configuration_name({all.begin(), all.end()});
}

std::string configuration_name(const CsvRow& columns) {
  const auto value_bytes = whole_in(columns, "value_bytes");
  std::string name = fmt::format("{}/{}/{}/{}", columns.at("variant"),
                                 name_of_types(columns.at("key_type"), value_bytes),
                                 columns.at("order"), columns.at("dist"));
  if (const auto& param = columns.at("dist_param"); !param.empty()) name += ":" + param;
  name += "/n:" + columns.at("n");
  for (const Field& field : config_fields()) {
    if (!field.in_name) continue;
    const std::string& value = columns.at(std::string(field.name));
    if (value.empty() || value == field.in_name->left_out) continue;
    name += fmt::format("/{}{}", field.in_name->before, value);
  }
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

void to_json(nlohmann::json& json, const Config& config) {
  for (const Field& field : config_fields()) {
    if (field.value.write != nullptr) field.value.write(json[field.name], config);
  }
}

void from_json(const nlohmann::json& json, Config& config) {
  for (const Field& field : config_fields()) {
    if (field.value.read == nullptr) continue;
    try {
      field.value.read(json.at(field.name), config);
    } catch (const BadInput& error) {                 // a text that no value has
      (void)nlohmann::json(error.what()).get<int>();  // throws, as other wrong values do
    }
  }
}

}  // namespace sortlab

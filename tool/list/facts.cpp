#include "tool/list/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/harness/rig/device.hpp"
#include "tool/list/catalogue.hpp"

namespace sortlab {
namespace {

std::vector<std::string> types_of(const Variant& variant, bool pairs) {
  std::vector<std::string> names;
  for (int i = 0; i <= kKeyTypeCount; ++i) {  // records are behind the numbers
    const auto type = static_cast<KeyType>(i);
    for (const std::size_t bytes : kValueWidths) {
      if (pairs == (bytes != 0) && variant.instance(type, bytes, Order::ascending) != nullptr) {
        names.push_back(name_of_types(name_of(type), bytes));
      }
    }
  }
  return names;
}

using nlohmann::json;

/// The facts of a variant that `auto` needs; null for one that it never chooses.
json candidate(const Info& info) {
  if (!info.candidate) return nullptr;
  const Candidate& c = *info.candidate;
  json all = {{"rank", c.rank}};
  if (c.most_n != Candidate{}.most_n) all["most_n"] = c.most_n;
  if (c.padded_key_bytes != Candidate{}.padded_key_bytes) {
    all["padded_key_bytes"] = c.padded_key_bytes;
    all["most_unpadded"] = c.most_unpadded;
  }
  if (info.memory == Memory::device) {
    all["block_kib"] = c.block_kib;
    all["sm_kib"] = c.sm_kib;
    all["clusters"] = c.clusters;
  }
  return all;
}

/// The height on the ladder; the first rung has 0.
std::size_t place_on_ladder(const Variant& v, const std::vector<std::string>& rungs) {
  const auto name = v.id.substr(v.id.rfind('/') + 1);
  return static_cast<std::size_t>(std::find(rungs.begin(), rungs.end(), name) - rungs.begin());
}

/// "ours", a library's, or a plug-in's.
std::string_view maker(const Variant& v) {
  return !v.plugin_file.empty() ? "plug-in" : v.algorithm() == "baselines" ? "baseline" : "ours";
}

json to_json(const Variant& v, const std::map<std::string, std::vector<std::string>>& ladders) {
  const std::string ladder(ladder_of(v.id));
  json params = json::array();
  for (const auto& spec : v.info.params) {
    params.push_back({{"name", spec.name},
                      {"default", spec.fallback},
                      {"min", spec.min},
                      {"max", spec.max},
                      {"help", spec.help}});
  }
  return {{"id", v.id},
          {"algorithm", v.algorithm()},
          {"summary", v.info.summary},
          {"source", v.info.source},
          {"after", v.info.after},
          {"ladder", ladder},
          {"rung", place_on_ladder(v, ladders.at(ladder))},
          {"maker", maker(v)},
          {"candidate", candidate(v.info)},
          {"key_types", key_types(v)},
          {"pair_types", pair_types(v)},
          {"memory", name_of(v.info.memory)},
          {"stable", v.info.stable},
          {"in_place", v.info.in_place},
          {"alternate", v.info.alternate},
          {"parallel", v.info.parallel},
          {"total_order", v.info.total_order},
          {"capturable", v.info.capturable},
          {"isa", isas(v)},
          {"lib_version", v.info.lib_version},
          {"temp_policy", name_of(v.info.temp_policy)},
          {"params", params},
          {"unavailable", why_not_here(v)}};
}

}  // namespace

std::vector<std::string> key_types(const Variant& variant) { return types_of(variant, false); }

std::vector<std::string> pair_types(const Variant& variant) { return types_of(variant, true); }

std::string isas(const Variant& variant) {
  if (variant.info.memory == Memory::device) return "";
  if (!variant.plugin_file.empty()) return variant.isa_name(variant);
  if (variant.isa_name != nullptr) return "library's choice";
  std::string names;
  for (const Isa isa : kIsasOfBuild) {
    if (variant.info.isas.has(isa))
      names += fmt::format("{}{}", names.empty() ? "" : ",", name_of(isa));
  }
  return names;
}

std::string why_not_here(const Variant& variant) {
  if (std::string reason = variant.unavailable(); !reason.empty()) return reason;
  return variant.info.memory == Memory::host ? "" : device_unavailable();
}

std::string parallel(const Variant& variant) {
  if (variant.info.memory == Memory::device) return "-";
  return variant.info.parallel ? "yes" : "no";
}

std::string where(const Variant& variant, bool Traits::*trait) {
  std::vector<std::string> with, without;
  for (const Instance& i : variant.instances) {
    const std::string types = name_of_types(name_of(i.key_type), i.value_bytes);
    auto& names = i.traits.*trait ? with : without;
    if (names.empty() || names.back() != types) names.push_back(types);
  }
  if (without.empty()) return "yes";
  if (with.empty()) return "no";
  return fmt::format("{}; not {}", fmt::join(with, " "), fmt::join(without, " "));
}

std::string variants_json(const std::vector<const Variant*>& variants) {
  const auto known = ladders();
  json all = json::array();
  for (const Variant* const variant : variants) all.push_back(to_json(*variant, known));
  return all.dump(2);
}

}  // namespace sortlab

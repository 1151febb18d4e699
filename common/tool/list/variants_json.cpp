#include "common/tool/list/variants_json.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/tool/list/catalogue.hpp"
#include "common/tool/list/facts.hpp"

namespace sortlab {
namespace {

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

std::string variants_json(const std::vector<const Variant*>& variants) {
  const auto known = ladders();
  json all = json::array();
  for (const Variant* const variant : variants) all.push_back(to_json(*variant, known));
  return all.dump(2);
}

}  // namespace sortlab

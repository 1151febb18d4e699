#include "tool/list/catalogue.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/choose/choice_table.hpp"
#include "common/choose/embedded.hpp"

namespace sortlab {
namespace {

/// By the first folders of an id: gpu/host/ has the sorts of host data with a GPU's help.
Memory memory_of(const std::string& id) {
  if (id.starts_with("gpu/host/")) return Memory::both;
  return id.starts_with("gpu/") ? Memory::device : Memory::host;
}

CatalogueEntry entry_of(const Variant& variant) {
  return {variant.id, std::string(variant.info.after), variant.info.candidate.has_value(),
          variant.info.memory};
}

using Children = std::map<std::string, std::set<std::string>>;  // "" has the first rungs

Children children_of(std::string_view ladder) {
  std::map<std::string, std::string> after;
  for (const auto& variant : all_variants()) after[variant.id] = std::string(variant.info.after);
  for (const auto& entry : catalogue_of_sources()) after.try_emplace(entry.id, entry.after);
  Children children;
  for (const auto& [id, before] : after) {
    if (ladder_of(id) != ladder) continue;
    const bool is_first = ladder_of(before) != ladder || !after.contains(before);
    children[is_first ? "" : before].insert(id);
  }
  return children;
}

/// `indent` is the text before the rungs below `parent`.
void add_rungs(const Children& children, const std::string& parent, const std::string& indent,
               std::vector<TreeRow>& rows) {
  const auto found = children.find(parent);
  if (found == children.end()) return;
  const auto& rungs = found->second;
  for (const auto& rung : rungs) {
    const bool is_last = rung == *rungs.rbegin();
    const bool is_first_rung = parent.empty();
    rows.push_back({rung, is_first_rung ? "" : indent + (is_last ? "└─ " : "├─ ")});
    add_rungs(children, rung, is_first_rung ? "" : indent + (is_last ? "   " : "│  "), rows);
  }
}

}  // namespace

const std::vector<CatalogueEntry>& catalogue_of_sources() {
  static const std::vector<CatalogueEntry> entries = [] {
    std::vector<CatalogueEntry> all;
    for (const auto& entry : nlohmann::json::parse(embedded_file("variants.json"))) {
      const std::string id = entry.at("id");
      all.push_back({id, entry.at("after"), entry.at("candidate"), memory_of(id)});
    }
    return all;
  }();
  return entries;
}

std::optional<CatalogueEntry> find_in_catalogue(std::string_view id) {
  if (const Variant* const variant = find_variant(id)) return entry_of(*variant);
  const auto& sources = catalogue_of_sources();
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [id](const CatalogueEntry& entry) { return entry.id == id; });
  return found == sources.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string_view> candidate_ids(Memory memory) {
  std::vector<std::string_view> ids;
  for (const Variant* const variant : candidates(memory)) ids.emplace_back(variant->id);
  for (const auto& entry : catalogue_of_sources()) {
    const bool is_left_out = find_variant(entry.id) == nullptr;
    if (is_left_out && entry.is_candidate && entry.memory == memory) ids.emplace_back(entry.id);
  }
  return ids;
}

std::string_view ladder_of(std::string_view id) { return id.substr(0, id.rfind('/')); }

std::map<std::string, std::vector<std::string>> ladders() {
  std::map<std::string, CatalogueEntry> all;
  for (const auto& variant : all_variants()) all[variant.id] = entry_of(variant);
  for (const auto& entry : catalogue_of_sources()) all.try_emplace(entry.id, entry);
  const auto height = [&](const CatalogueEntry& rung) {
    std::size_t steps = 0;
    for (auto below = all.find(rung.after); below != all.end() && steps < all.size(); ++steps) {
      if (ladder_of(below->first) != ladder_of(rung.id)) break;
      below = all.find(below->second.after);
    }
    return steps;
  };
  std::map<std::string, std::vector<std::pair<std::size_t, std::string>>> rungs;
  for (const auto& [id, entry] : all) {
    rungs[std::string(ladder_of(id))].emplace_back(height(entry), id.substr(id.rfind('/') + 1));
  }
  std::map<std::string, std::vector<std::string>> names;
  for (auto& [ladder, of_ladder] : rungs) {
    std::sort(of_ladder.begin(), of_ladder.end());
    for (auto& [steps, name] : of_ladder) names[ladder].push_back(std::move(name));
  }
  return names;
}

std::vector<TreeRow> ladder_tree(std::string_view ladder) {
  std::vector<TreeRow> rows;
  add_rungs(children_of(ladder), "", "", rows);
  return rows;
}

}  // namespace sortlab

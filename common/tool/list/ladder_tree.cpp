#include "common/tool/list/ladder_tree.hpp"

#include <map>
#include <set>

#include "common/tool/list/catalogue.hpp"

namespace sortlab {
namespace {

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

std::vector<TreeRow> ladder_tree(std::string_view ladder) {
  std::vector<TreeRow> rows;
  add_rungs(children_of(ladder), "", "", rows);
  return rows;
}

}  // namespace sortlab

// A ladder as a tree, because several rungs may build on the same one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

struct TreeRow {
  std::string id;
  std::string branch;  // the text before the rung's name: "│  └─ "; "" for a first rung
};

/// All rungs of a ladder, "cpu/radix", each below the one that it comes after (Info::after), siblings
/// in the order of their names. Rungs that come after one of another ladder, or after none, are first.
std::vector<TreeRow> ladder_tree(std::string_view ladder);

}  // namespace sortlab

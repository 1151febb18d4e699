// The sorts that this program knows: those that it contains, and those of its source tree that this
// build left out (a CPU-only build leaves out the GPU's). It can read measurements of both.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

struct CatalogueEntry {
  std::string id;
  std::string after;  // the rung before, "" for the first
  bool is_candidate = false;
  Memory memory = Memory::host;
};

/// The facts from the source tree, by id, as cmake/catalogue.cmake found them at build time.
const std::vector<CatalogueEntry>& catalogue_of_sources();

/// The known facts of a sort: from its Info if the program contains it, else from the source tree.
std::optional<CatalogueEntry> find_in_catalogue(std::string_view id);

/// The ids of all candidates of one side. They live as long as the program.
std::vector<std::string_view> candidate_ids(Memory memory);

/// "cpu/radix" of "cpu/radix/simd".
std::string_view ladder_of(std::string_view id);

/// The names of each ladder's rungs from the first one on. A rung stands above the one that it
/// comes after; rungs of the same height are in the order of their names.
std::map<std::string, std::vector<std::string>> ladders();

/// A row of a ladder as a tree, because several rungs may build on the same one.
struct TreeRow {
  std::string id;
  std::string branch;  // the text before the rung's name: "│  └─ "; "" for a first rung
};

/// All rungs of a ladder, "cpu/radix", each below the one that it comes after (Info::after), siblings
/// in the order of their names. Rungs that come after one of another ladder, or after none, are first.
std::vector<TreeRow> ladder_tree(std::string_view ladder);

}  // namespace sortlab

// Tables that commands write: a table replaces an older one of its kind, and no other file.
#pragma once

#include <string>
#include <string_view>

namespace sortlab {

/// Throws BadInput if `path` has the name of a packed file, if it can't be written, or if it holds
/// something other than a table with this first column. Changes nothing.
void require_place_for_table(const std::string& path, std::string_view first_column);

}  // namespace sortlab

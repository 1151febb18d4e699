// A filled exhibit for people (terminal, Markdown) and for programs (CSV).
#pragma once

#include <string>
#include <vector>

#include "common/tool/reproduce/fill.hpp"

namespace sortlab::reproduce {

/// One line a cell that has a figure, then how many have none and why, then the claims.
std::string terminal_text(const FilledExhibit& filled);

/// A table as in the paper, each cell "published -> measured (ratio)", the reasons beneath it, then
/// the claims with their checks.
std::string markdown_text(const FilledExhibit& filled);

/// exhibit,source,table,row,column,unit,published,measured,ratio,status,reason,machine,revision:
/// one row a cell and a check of a claim; a row a claim, with column "verdict" and the verdict as
/// its status.
std::string csv_text(const FilledExhibit& filled);

}  // namespace sortlab::reproduce

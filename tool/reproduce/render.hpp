// A filled exhibit for people (terminal, Markdown) and for programs (CSV).
#pragma once

#include <string>
#include <vector>

#include "tool/reproduce/fill.hpp"

namespace sortlab::reproduce {

/// One line per cell with a figure, then the number of cells without one and the reasons, then the
/// claims.
std::string terminal_text(const FilledExhibit& filled);

/// A table like the paper's, each cell "published -> measured (ratio)", with the reasons below it,
/// then the claims with their checks.
std::string markdown_text(const FilledExhibit& filled);

/// How many claims of each source are confirmed, refuted or open.
std::string terminal_summary(const std::vector<FilledExhibit>& exhibits);

/// That table, then each claim with its verdict, then what contradicts itself within a source.
std::string markdown_summary(const std::vector<FilledExhibit>& exhibits,
                             const std::vector<Contradiction>& contradictions);

/// exhibit,source,table,row,column,unit,published,measured,low,high,ratio,status,reason,machine,revision:
/// one row per cell and per check of a claim; one row per claim, with column "verdict" and the
/// verdict as its status.
std::string csv_text(const FilledExhibit& filled);

}  // namespace sortlab::reproduce

// Fills exhibits with measured figures: each cell with its published value, and a verdict for each
// claim.
#pragma once

#include "tool/reproduce/results.hpp"

namespace sortlab::reproduce {

struct FilledCell {
  Cell cell;
  Figure measured;
  std::optional<double> ratio;  // measured over published, if the two may be compared
  std::string note;             // why there is no figure or no ratio, or a remark
};

std::string_view name_of(Verdict verdict);  // "confirmed", "refuted", "can't tell here"

struct FilledClaim {
  std::string text;
  std::string source;
  std::string note;
  Verdict verdict = Verdict::open;
  std::string reason;  // "3 of 4 checks hold", or why it can't be told
  std::vector<FilledCell> checks;
};

struct FilledExhibit {
  Exhibit exhibit;
  std::vector<FilledCell> cells;
  std::vector<FilledClaim> claims;
};

FilledExhibit fill(const Exhibit& exhibit, const Results& results);

/// Whether a check of a claim holds. Empty when this is unknown: not measured, measured at another
/// size than the claim's, or so scattered that the interval contains a bound.
std::optional<bool> holds(const FilledCell& check);

}  // namespace sortlab::reproduce

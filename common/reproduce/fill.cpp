#include "common/reproduce/fill.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sortlab::reproduce {
namespace {

/// At which sizes the figure was measured instead of those published.
std::string sizes_note(const Cell& cell) {
  if (!cell.sizes.empty()) {
    return fmt::format("measured up to n = {} only", cell.sizes.back());
  }
  std::string note =
      fmt::format("measured at n = {}, published at {}", cell.subject.n, cell.subject.published_n);
  if (cell.against && cell.against->n != cell.subject.n) {
    note +=
        fmt::format(" (against n = {}, published {})", cell.against->n, cell.against->published_n);
  }
  return note;
}

FilledCell fill_cell(const Cell& cell, const Results& results) {
  FilledCell filled{cell, results.figure_of(cell), std::nullopt, ""};
  filled.note = filled.measured.reason;
  if (!filled.measured.value) return filled;
  const bool comparable = !cell.reduced || is_free_of_size(cell.unit);
  if (cell.reduced) filled.note = sizes_note(cell);
  if (cell.published && comparable) filled.ratio = *filled.measured.value / *cell.published;
  return filled;
}

FilledClaim judge(const Claim& claim, const Results& results) {
  FilledClaim filled{claim.text, claim.note, Verdict::open, "", {}};
  std::size_t held = 0;
  std::size_t broken = 0;
  std::string why_open;
  for (const Cell& check : claim.checks) {
    filled.checks.push_back(fill_cell(check, results));
    const auto verdict = holds(filled.checks.back());
    held += verdict == true;
    broken += verdict == false;
    if (!verdict && why_open.empty()) why_open = filled.checks.back().note;
  }
  const std::size_t all = claim.checks.size();
  const std::size_t needed = claim.need_all ? all : all / 2 + 1;
  if (held >= needed) {
    filled.verdict = Verdict::confirmed;
  } else if (all - broken < needed) {
    filled.verdict = Verdict::refuted;
  }
  filled.reason =
      filled.verdict == Verdict::open ? why_open : fmt::format("{} of {} checks hold", held, all);
  return filled;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::refuted:
      return "refuted";
    case Verdict::open:
      break;
  }
  return "can't tell here";
}

std::optional<bool> holds(const FilledCell& check) {
  if (!check.measured.value || check.cell.reduced) return std::nullopt;
  const double value = *check.measured.value;
  return value >= check.cell.least.value_or(value) && value <= check.cell.most.value_or(value);
}

FilledExhibit fill(const Exhibit& exhibit, const Results& results) {
  FilledExhibit filled{exhibit, {}, {}};
  for (const Cell& cell : exhibit.cells) filled.cells.push_back(fill_cell(cell, results));
  for (const Claim& claim : exhibit.claims) filled.claims.push_back(judge(claim, results));
  return filled;
}

}  // namespace sortlab::reproduce

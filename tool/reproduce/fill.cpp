#include "tool/reproduce/fill.hpp"

#include <fmt/format.h>

#include <bit>

namespace sortlab::reproduce {
namespace {

/// "2^20" where it is a power of two.
std::string size_text(std::size_t n) {
  return std::has_single_bit(n) ? fmt::format("2^{}", std::countr_zero(n)) : std::to_string(n);
}

/// The sizes of the measured figure, if they differ from the published ones.
std::string sizes_note(const Cell& cell) {
  if (!cell.sizes.empty()) return fmt::format("sizes up to {} only", size_text(cell.sizes.back()));
  const auto note = [](const Subject& subject) {
    return fmt::format("n = {} in place of {}", size_text(subject.n),
                       size_text(subject.published_n));
  };
  const bool differ = cell.against && cell.against->n != cell.subject.n;
  return note(cell.subject) + (differ ? ", against " + note(*cell.against) : "");
}

/// Why the outcome of a check is unknown.
std::string why_open(const FilledCell& check) {
  if (!check.measured.value || check.cell.reduced) return check.note;
  return fmt::format("too close to call: {}, {} lies between {:.4g} and {:.4g}", check.cell.row,
                     check.cell.column, check.measured.range.low, check.measured.range.high);
}

FilledCell fill_cell(const Cell& cell, const Results& results) {
  FilledCell filled{cell, results.figure_of(cell), std::nullopt, ""};
  filled.note = filled.measured.reason;
  if (!filled.measured.value) return filled;
  const bool comparable = !cell.reduced || is_free_of_size(cell.unit);
  if (cell.reduced) {
    filled.note = sizes_note(cell) + (filled.note.empty() ? "" : "; " + filled.note);
  }
  if (cell.published && comparable) filled.ratio = *filled.measured.value / *cell.published;
  return filled;
}

FilledClaim judge(const Claim& claim, const Results& results) {
  FilledClaim filled{claim.text, claim.source, claim.note, claim.verdict, claim.reason, {}};
  if (!claim.gpu.empty() && !results.are_of(claim.gpu)) {
    filled.verdict = Verdict::open;
    filled.reason =
        fmt::format("needs a profiler's counters, which are recorded of an {} only", claim.gpu);
  }
  if (claim.checks.empty()) return filled;
  std::size_t held = 0;
  std::size_t broken = 0;
  std::string first_open;
  for (const Cell& check : claim.checks) {
    filled.checks.push_back(fill_cell(check, results));
    const auto verdict = holds(filled.checks.back());
    held += verdict == true;
    broken += verdict == false;
    if (!verdict && first_open.empty()) first_open = why_open(filled.checks.back());
  }
  const std::size_t all = claim.checks.size();
  const std::size_t needed = claim.need_all ? all : all / 2 + 1;
  if (held >= needed) {
    filled.verdict = Verdict::confirmed;
  } else if (all - broken < needed) {
    filled.verdict = Verdict::refuted;
  }
  if (filled.verdict == Verdict::open) {
    filled.reason = first_open;
  } else {
    filled.reason = fmt::format("{} of {} checks hold", held, all);
    const std::size_t undecided = all - held - broken;
    if (undecided != 0) filled.reason += fmt::format(", {} can't be told", undecided);
  }
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
  const auto& [low, high] = check.measured.range;
  const double least = check.cell.least.value_or(low);
  const double most = check.cell.most.value_or(high);
  if (low >= least && high <= most) return true;
  if (high < least || low > most) return false;
  return std::nullopt;
}

FilledExhibit fill(const Exhibit& exhibit, const Results& results) {
  FilledExhibit filled{exhibit, {}, {}};
  for (const Cell& cell : exhibit.cells) filled.cells.push_back(fill_cell(cell, results));
  for (const Claim& claim : exhibit.claims) filled.claims.push_back(judge(claim, results));
  return filled;
}

}  // namespace sortlab::reproduce

#include "tool/reproduce/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/harness/record/record.hpp"
#include "common/harness/terminal/text_table.hpp"

namespace sortlab::reproduce {
namespace {

/// At least so many digits, all digits before the point, and no point without digits after it.
std::string number(double value, int digits = 4) {
  return std::abs(value) >= std::pow(10, digits - 1) ? fmt::format("{:.0f}", value)
                                                     : fmt::format("{:.{}g}", value, digits);
}

std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

std::string ratio_text(const FilledCell& cell) {
  return cell.ratio ? fmt::format("{:.3g}x", *cell.ratio) : "";
}

std::string published_text(const Cell& cell) {
  return cell.published ? number(*cell.published) : "not printed";
}

/// Labels in their order of first appearance.
template <class Label>
std::vector<std::string> labels_of(const std::vector<FilledCell>& cells, Label label) {
  std::vector<std::string> labels;
  for (const FilledCell& cell : cells) {
    const std::string& text = cell.cell.*label;
    if (std::find(labels.begin(), labels.end(), text) == labels.end()) labels.push_back(text);
  }
  return labels;
}

constexpr std::size_t kGap = 1, kIndent = 2;  // of the tables

/// "12 of 24 cells: <note>" for each note of the cells that have a figure, or of those that have
/// none.
std::string grouped_notes(const std::vector<FilledCell>& cells, bool with_figure,
                          std::string_view line_begin) {
  std::vector<std::pair<std::string, std::size_t>> notes;
  for (const FilledCell& cell : cells) {
    if (cell.measured.value.has_value() != with_figure || cell.note.empty()) continue;
    const std::string note = (with_figure ? "" : " " + cell.measured.status) + ": " + cell.note;
    const auto known = std::find_if(notes.begin(), notes.end(),
                                    [&](const auto& entry) { return entry.first == note; });
    if (known == notes.end()) {
      notes.emplace_back(note, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [note, count] : notes) {
    text += fmt::format("{}{} of {} cells{}\n", line_begin, count, cells.size(), note);
  }
  return text;
}

void add_lines(TextTable& table, const std::vector<FilledCell>& cells) {
  for (const FilledCell& cell : cells) {
    if (!cell.measured.value) continue;
    table.add({cell.cell.row, cell.cell.column, cell.cell.unit, published_text(cell.cell),
               number(cell.measured.value), ratio_text(cell), cell.note});
  }
}

std::string source_line(const Exhibit& exhibit) {
  return fmt::format("{}, {}; their machine: {}", exhibit.source, exhibit.place, exhibit.machine);
}

/// " ±2%": how far the interval of a measured median reaches; empty for a count.
std::string spread_text(const Figure& figure) {
  const double value = *figure.value;
  const double reach = std::max(figure.range.high - value, value - figure.range.low);
  return reach > 0 ? fmt::format(" ±{}%", number(100 * reach / value, 2)) : "";
}

/// "published -> measured ±spread (ratio x)", as far as there are figures.
std::string markdown_cell(const FilledCell& cell) {
  const std::string published = published_text(cell.cell);
  if (!cell.measured.value) return published + " → –";
  const std::string ratio = cell.ratio ? fmt::format(" ({})", ratio_text(cell)) : "";
  return fmt::format("{} → {}{}{}", published, number(cell.measured.value),
                     spread_text(cell.measured), ratio);
}

/// The unit of a column or row, when it is the same in all its cells: " [ms]".
template <class Label>
std::string unit_of(const std::vector<FilledCell>& cells, Label label, const std::string& text) {
  std::string unit;
  for (const FilledCell& cell : cells) {
    if (cell.cell.*label != text) continue;
    if (!unit.empty() && unit != cell.cell.unit) return "";
    unit = cell.cell.unit;
  }
  return fmt::format(" [{}]", unit);
}

std::string markdown_grid(const std::vector<FilledCell>& cells) {
  const auto columns = labels_of(cells, &Cell::column);
  const bool unit_by_column = std::all_of(columns.begin(), columns.end(), [&](const auto& column) {
    return !unit_of(cells, &Cell::column, column).empty();
  });
  std::string text = "|";
  for (const auto& column : columns) {
    text +=
        fmt::format(" | {}{}", column, unit_by_column ? unit_of(cells, &Cell::column, column) : "");
  }
  text += " |\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += '\n';
  for (const auto& row : labels_of(cells, &Cell::row)) {
    text += fmt::format("| {}{}", row, unit_by_column ? "" : unit_of(cells, &Cell::row, row));
    for (const auto& column : columns) {
      const auto cell = std::find_if(cells.begin(), cells.end(), [&](const FilledCell& c) {
        return c.cell.row == row && c.cell.column == column;
      });
      text += fmt::format(" | {}", cell == cells.end() ? "" : markdown_cell(*cell));
    }
    text += " |\n";
  }
  return text;
}

std::string markdown_notes(const std::vector<FilledCell>& cells) {
  const std::string text = grouped_notes(cells, true, "- ") + grouped_notes(cells, false, "- ");
  return text.empty() ? "" : "\n" + text;
}

std::string bounds_text(const Cell& check) {
  if (check.least && check.most && *check.least == *check.most) return number(check.least);
  if (check.least && check.most)
    return fmt::format("{} to {}", number(check.least), number(check.most));
  return check.least ? "at least " + number(check.least) : "at most " + number(check.most);
}

std::string check_verdict(const FilledCell& check) {
  const auto verdict = holds(check);
  if (!verdict) return "can't tell here";
  return *verdict ? "holds" : "does not hold";
}

std::string markdown_claim(const FilledClaim& claim) {
  std::string text =
      fmt::format("\n**{}.** {}: {}.\n", claim.text, name_of(claim.verdict), claim.reason);
  if (!claim.note.empty()) text += fmt::format("{}\n", claim.note);
  if (claim.checks.empty()) return text;
  text += "\n| check | unit | published | confirmed by | here | |\n|---|---|---|---|---|---|\n";
  for (const FilledCell& check : claim.checks) {
    text += fmt::format(
        "| {}, {} | {} | {} | {} | {} | {} |\n", check.cell.row, check.cell.column, check.cell.unit,
        number(check.cell.published), bounds_text(check.cell),
        check.measured.value ? number(check.measured.value) + spread_text(check.measured) : "–",
        check_verdict(check));
  }
  return text + markdown_notes(claim.checks);
}

std::string terminal_claim(const FilledClaim& claim) {
  std::string text = fmt::format("  {:>15}  {}\n  {:>15}  ({})\n", name_of(claim.verdict),
                                 claim.text, "", claim.reason);
  if (!claim.note.empty()) text += fmt::format("  {:>15}  {}\n", "", claim.note);
  TextTable checks({}, 3, kGap, kIndent);
  for (const FilledCell& check : claim.checks) {
    if (!check.measured.value) continue;
    checks.add({fmt::format("{:15}", ""), check.cell.row, check.cell.column,
                number(*check.measured.value),
                fmt::format("{} (wanted: {})", check.cell.unit, bounds_text(check.cell))});
  }
  return text + checks.text();
}

/// The verdicts on the claims of one source.
struct Tally {
  std::string source;
  std::size_t confirmed = 0;
  std::size_t refuted = 0;
  std::size_t open = 0;

  void add(Verdict verdict) {
    ++(verdict == Verdict::confirmed ? confirmed : verdict == Verdict::refuted ? refuted : open);
  }
  std::size_t all() const { return confirmed + refuted + open; }
};

/// One per source, in order of first appearance, and their sum.
std::vector<Tally> tallies_of(const std::vector<FilledExhibit>& exhibits) {
  std::vector<Tally> tallies;
  Tally sum{"all"};
  for (const FilledExhibit& filled : exhibits) {
    for (const FilledClaim& claim : filled.claims) {
      auto known = std::find_if(tallies.begin(), tallies.end(),
                                [&](const Tally& t) { return t.source == claim.source; });
      if (known == tallies.end()) known = tallies.insert(known, Tally{claim.source});
      known->add(claim.verdict);
      sum.add(claim.verdict);
    }
  }
  tallies.push_back(sum);
  return tallies;
}

/// Without what would end a cell of a Markdown table.
std::string in_a_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

}  // namespace

std::string terminal_summary(const std::vector<FilledExhibit>& exhibits) {
  const auto tallies = tallies_of(exhibits);
  if (tallies.back().all() == 0) return "";
  TextTable table({"", "confirmed", "refuted", "can't tell here", ""}, 1, kGap, kIndent);
  for (const Tally& t : tallies) {
    table.add({t.source, std::to_string(t.confirmed), std::to_string(t.refuted),
               std::to_string(t.open), fmt::format("of {} claims", t.all())});
  }
  return "\nVerdicts:\n" + table.text();
}

std::string markdown_summary(const std::vector<FilledExhibit>& exhibits,
                             const std::vector<Contradiction>& contradictions) {
  std::string text =
      "# Verdicts\n\n| source | confirmed | refuted | can't tell here | claims |\n"
      "|---|---|---|---|---|\n";
  for (const Tally& t : tallies_of(exhibits)) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", t.source, t.confirmed, t.refuted, t.open,
                        t.all());
  }
  text += "\n| source | claim | verdict | why | exhibit |\n|---|---|---|---|---|\n";
  for (const FilledExhibit& filled : exhibits) {
    for (const FilledClaim& claim : filled.claims) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", claim.source, in_a_cell(claim.text),
                          name_of(claim.verdict), in_a_cell(claim.reason), filled.exhibit.id);
    }
  }
  text += "\n## Contradictions within the sources\n";
  for (const Contradiction& one : contradictions) {
    text += fmt::format("\n**{}**: {}\n\n", one.source, one.text);
    for (const std::string& line : one.lines) text += fmt::format("- {}\n", line);
  }
  return text;
}

std::string terminal_text(const FilledExhibit& filled) {
  const Exhibit& exhibit = filled.exhibit;
  std::string text =
      fmt::format("\n{}: {}\n  {}\n", exhibit.id, exhibit.title, source_line(exhibit));
  if (!exhibit.note.empty()) text += fmt::format("  {}\n", exhibit.note);
  TextTable table({"", "", "unit", "published", "here", "ratio", ""}, 3, kGap, kIndent);
  add_lines(table, filled.cells);
  const auto has_figure = [](const FilledCell& cell) { return cell.measured.value.has_value(); };
  if (std::any_of(filled.cells.begin(), filled.cells.end(), has_figure)) text += table.text();
  text += grouped_notes(filled.cells, false, "  ");
  for (const FilledClaim& claim : filled.claims) text += terminal_claim(claim);
  return text;
}

std::string markdown_text(const FilledExhibit& filled) {
  const Exhibit& exhibit = filled.exhibit;
  std::string text =
      fmt::format("# {}\n\n{}: {}.\n", exhibit.title, exhibit.id, source_line(exhibit));
  if (!exhibit.note.empty()) text += fmt::format("\n{}\n", exhibit.note);
  if (!filled.cells.empty()) {
    text +=
        "\nEach cell: published → here, ± the interval of the median (here over published). It is "
        "the "
        "95 % interval; of fewer than six samples it is their range, which holds the median of "
        "five in 94 %, "
        "of four in 88 % and of three in 75 % of cases.\n\n" +
        markdown_grid(filled.cells) + markdown_notes(filled.cells);
  }
  if (!filled.claims.empty()) text += "\n## Claims\n";
  for (const FilledClaim& claim : filled.claims) text += markdown_claim(claim);
  return text;
}

std::string csv_text(const FilledExhibit& filled) {
  const Exhibit& exhibit = filled.exhibit;
  std::string text =
      "exhibit,source,table,row,column,unit,published,measured,low,high,ratio,status,reason,"
      "machine,revision\n";
  const auto exact = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : "";
  };
  const auto add_cell = [&](const FilledCell& cell, const std::string& row) {
    const auto bound = [&](double value) { return cell.measured.value ? exact(value) : ""; };
    text += join_csv_line({exhibit.id, exhibit.source, exhibit.place, row, cell.cell.column,
                           cell.cell.unit, exact(cell.cell.published), exact(cell.measured.value),
                           bound(cell.measured.range.low), bound(cell.measured.range.high),
                           exact(cell.ratio), cell.measured.status, cell.note, cell.measured.device,
                           cell.measured.revision}) +
            '\n';
  };
  for (const FilledCell& cell : filled.cells) add_cell(cell, cell.cell.row);
  for (const FilledClaim& claim : filled.claims) {
    text +=
        join_csv_line({exhibit.id, claim.source, exhibit.place, claim.text, "verdict", "", "", "",
                       "", "", "", std::string(name_of(claim.verdict)), claim.reason, "", ""}) +
        '\n';
    for (const FilledCell& check : claim.checks)
      add_cell(check, claim.text + ": " + check.cell.row);
  }
  return text;
}

}  // namespace sortlab::reproduce

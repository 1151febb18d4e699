// The CSV of samples: reading, summing up, comparing, and resuming, twice.
#include <algorithm>

#include "common/harness/record/record.hpp"
#include "common/harness/record/summary.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tool/compare/compare.hpp"
#include "tool/recommend/recommend.hpp"
#include "tool/run/conclusion.hpp"
#include "tool/run/table.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

namespace {

/// Everything that commands compute from accepted rows.
void use(const CsvTable& table) {
  const auto rows = summarize(table);
  (void)readable_table(rows);
  (void)readable_counters(rows);
  (void)readable_conclusion(contests_of(rows), 40);
  write_summary(folder() + "/summary.csv", rows, {.host = 1e9, .device = 0});
  for (const auto& row : rows) (void)configuration_name(row.config);

  const auto middle = table.rows.begin() + static_cast<std::ptrdiff_t>(table.rows.size() / 2);
  const auto base = summarize({{table.rows.begin(), middle}});
  const auto next = summarize({{middle, table.rows.end()}});
  constexpr double kThreshold = 0.05;
  const Comparison comparison = compare(base, next, kThreshold);
  (void)readable_comparison(comparison, kThreshold);
  write_comparison(folder() + "/comparison.csv", comparison);

  Question question;
  question.n = 4096;
  question.dist = {"uniform", ""};
  const auto ranked = rank_candidates(question, rows);
  if (ranked.empty()) return;
  (void)readable_recommendation(question, ranked);
  write_recommendation(folder() + "/recommendation.csv", question, ranked);
}

/// A second start with the same file finds the first one's rows, and changes nothing.
void resume_twice(const std::string& path, const CsvTable& table) {
  { const Recorder first(path, "first"); }
  const std::string left = read(path);
  const Recorder second(path, "second");
  require(read(path) == left, "resuming twice changed the file");
  require(second.table().rows.size() <= table.rows.size(), "resuming added rows");
  for (const auto& row : read_csv(path).rows) {
    require(second.samples(row.at("config_id")) > 0 || second.completed(row.at("config_id")),
            "a row is kept that counts for nothing");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = with_header(text_of(data, size));
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto fields = split_csv_line(text.substr(at, end - at));
    auto expected = fields;
    for (auto& field : expected) std::replace(field.begin(), field.end(), '\r', ' ');
    require(split_csv_line(join_csv_line(fields)) == expected, "a joined line splits differently");
    at = end + 1;
  }

  const std::string path = write("samples.csv", text);
  std::vector<std::string> warnings;
  CsvTable whole;
  if (!accepts(path, [&] { whole = read_whole_rows(path, warnings); })) return 0;
  for (const auto& warning : warnings) {
    require(warning.find(path) != warning.npos, "no file name in: " + warning);
  }
  use(whole);
  CsvTable table;
  const bool good = accepts(path, [&] { table = read_csv(path); });
  if (good) require(table.rows == whole.rows, "two readers, two results");
  accepts(path, [&] { resume_twice(path, table); });
  return 0;
}

#include "common/tool/run/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/harness/record/run_files.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/notes.hpp"
#include "common/tool/run/conclusion.hpp"
#include "common/tool/run/counter_table.hpp"

namespace sortlab {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Contest& contest) {
  ordered_json json = {{"input", contest.title},
                       {"n", contest.n},
                       {"fastest", contest.winner().config.at("config_id")},
                       {"tie", contest.is_tie()}};
  const auto id_of = [](const SummaryRow* row) {
    return row == nullptr ? ordered_json(nullptr) : ordered_json(row->config.at("config_id"));
  };
  json["best_library"] = id_of(contest.library());
  json["rival"] = id_of(contest.rival());
  json["times_as_fast_as_rival"] =
      contest.rival() == nullptr ? ordered_json(nullptr) : ordered_json(contest.gain());
  return json;
}

ordered_json json_of(const RunResult& result, const std::string& csv) {
  ordered_json json = {{"rows", ordered_json::array()}, {"contests", ordered_json::array()}};
  for (const auto& row : result.rows) json["rows"].push_back(sortlab::json_of(row));
  for (const auto& contest : contests_of(result.rows)) json["contests"].push_back(json_of(contest));
  json["csv"] = csv;
  json["exit_code"] = result.exit_code;
  return json;
}

std::string files_of(const std::string& csv) {
  return fmt::format("\nsamples: {}\nmedians: {}\nmachine: {}\n", csv, beside(csv, ".summary.csv"),
                     beside(csv, ".run.json"));
}

}  // namespace

void print_result(const RunResult& result, const std::string& csv, TableLayout layout,
                  OutputFormat format) {
  if (format == OutputFormat::json) {
    print_json("run", json_of(result, csv));
  } else {
    const bool to_stderr = csv == "-";
    const int fd = to_stderr ? STDERR_FILENO : STDOUT_FILENO;
    layout.width = room_for_text(fd);
    const std::string skips = readable_skips(result.rows);
    const std::string text = readable_table(result.rows, layout) +
                             readable_counters(result.rows, layout) +
                             (skips.empty() ? "" : '\n' + wrapped_lines(skips, layout.width, 2)) +
                             readable_conclusion(contests_of(result.rows), layout.width) +
                             readable_crossings(result.rows, layout.width);
    to_stderr ? note("{}", text) : fmt::print("{}", text);
    if (has_files_beside(csv)) fmt::print("{}", files_of(csv));
  }
  if (!result.why_nothing.empty()) note_line("nothing was measured: " + result.why_nothing);
}

}  // namespace sortlab

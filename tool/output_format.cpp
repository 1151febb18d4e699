#include "tool/output_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/output_file.hpp"
#include "tool/flags.hpp"

namespace sortlab {

using nlohmann::ordered_json;

void add_format_flag(CLI::App& command, OutputFormat& format) {
  add_choice(command, "--format", format, "text|json", "Print text or JSON (default text)");
}

void print_json(const std::string& command, ordered_json content) {
  ordered_json all = {
      {"command", command},
      {"schema", 1},
      {"sortlab", {{"version", kVersion}, {"revision", kGitRevision}, {"changed", kGitDirty}}}};
  all.update(content);
  // Paths and names of devices may be invalid UTF-8.
  fmt::print("{}\n", all.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

ordered_json json_of(const SummaryRow& row) {
  ordered_json json = {{"config_id", row.config.at("config_id")}};
  for (const Field& field : config_fields()) {
    if (!field.has_column) continue;
    const std::string& text = row.config.at(std::string(field.name));
    const auto number = field.most != 0 ? parse_whole(text) : std::nullopt;
    number ? json[field.name] = *number : json[field.name] = text;
  }
  json["status"] = row.status;
  json["reason"] = row.reason;
  json["samples"] = row.n_kept;
  if (row.n_kept == 0) return json;
  json["median_ns"] = row.median_ns;
  json["ci95_ns"] = {row.interval.low, row.interval.high};
  json["p90_ns"] = row.p90_ns;
  json["min_ns"] = row.min_ns;
  json["max_ns"] = row.max_ns;
  json["relative_iqr"] = row.relative_iqr;
  json["bimodal"] = row.bimodal;
  json["noisy"] = row.is_noisy();
  json["keys_per_s"] = row.keys_per_s;
  json["bytes_per_s"] = row.bytes_per_s;
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) {
    if (row.counters[i]) json["counters"][kCounterNames[i]] = *row.counters[i];
  }
  return json;
}

void require_place_for_table(const std::string& path, const std::string& first_column) {
  require_unpacked_name(path);
  require_writable(path);
  require_place_for(path, first_column + ',', "a table of this command");
}

void write_table(const std::string& path, const std::vector<Cells>& rows) {
  if (rows.empty()) return;
  require_place_for_table(path, rows.front().front().first);
  std::vector<std::string> header;
  for (const auto& [column, text] : rows.front()) header.push_back(column);
  std::string table = join_csv_line(header) + '\n';
  for (const auto& row : rows)
    table += join_csv_line(fields_of({row.begin(), row.end()}, header)) + '\n';
  write_file(path, table);
}

}  // namespace sortlab

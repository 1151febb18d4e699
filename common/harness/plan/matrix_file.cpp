// Reads matrix files, which say what to run.

#include <algorithm>
#include <climits>
#include <cstdint>
#include <filesystem>

#include "common/choose/embedded.hpp"
#include "common/contract/errors.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/json_value.hpp"
#include "common/harness/plan/plan.hpp"

namespace sortlab {
namespace {

void read_wish(const JsonValue& value, std::vector<std::string>& texts) { texts = value.texts(); }
void read_wish(const JsonValue& value, std::string& text) { text = value.text(); }
void read_wish(const JsonValue& value, bool& is_wanted) { is_wanted = value.truth(); }
void read_wish(const JsonValue& value, std::uint64_t& number) {
  number = value.whole<std::uint64_t>(0, UINT64_MAX);
}

Selection parse_block(const JsonValue& block) {
  Selection selection;
  std::vector<JsonValue::Reader> readers = {
      {"needs_gpu", [&](const JsonValue& value) { selection.needs_gpu = value.truth(); }},
      {"part", [&](const JsonValue& value) { selection.part = value.text(); }}};
  for (const Field& field : config_fields()) {
    if (field.key.empty()) continue;
    readers.emplace_back(field.key, [&](const JsonValue& value) {
      visit_wish(field, [&](auto member) { read_wish(value, selection.*member); });
    });
  }
  block.read(readers);
  return selection;
}

StopSettings parse_stop(const JsonValue& block) {
  StopSettings stop;
  const auto count_in = [](int& count) {
    return [&count](const JsonValue& value) { count = value.whole<int>(1, INT_MAX); };
  };
  block.read({{"time", [&](const JsonValue& value) { stop.time_s = value.number(); }},
              {"accuracy", [&](const JsonValue& value) { stop.accuracy = value.number(); }},
              {"min-samples", count_in(stop.min_samples)},
              {"max-samples", count_in(stop.max_samples)}});
  return stop;
}

Matrix matrix_of(const JsonValue& file) {
  Matrix matrix;
  const auto read_runs = [&](const JsonValue& value) {
    for (const auto& block : value.elements()) matrix.runs.push_back(parse_block(block));
  };
  file.read({{"description", [](const JsonValue& value) { (void)value.text(); }},
             {"rounds",
              [&](const JsonValue& value) { matrix.rounds = value.whole<int>(1, kMostRounds); }},
             {"skip-slow", [&](const JsonValue& value) { matrix.slow_s = value.number(); }},
             {"stop", [&](const JsonValue& value) { matrix.stop = parse_stop(value); }},
             {"runs", read_runs}});
  if (matrix.runs.empty()) throw file.complaint("\"runs\" must be a list with at least one run");
  return matrix;
}

/// "default" of the embedded "bench/default.json"; "" of any other file.
std::string name_of(const EmbeddedFile& file) {
  constexpr std::string_view kFolder = "bench/", kEnding = ".json";
  std::string_view name = file.path;
  if (!name.starts_with(kFolder) || !name.ends_with(kEnding)) return "";
  name.remove_prefix(kFolder.size());
  name.remove_suffix(kEnding.size());
  return name.find('/') == std::string_view::npos ? std::string(name) : "";
}

}  // namespace

std::vector<std::string> matrix_names() {
  std::vector<std::string> names;
  for (const auto& file : embedded_files()) {
    if (std::string name = name_of(file); !name.empty()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Matrix read_matrix(const std::string& name_or_path) {
  if (std::filesystem::is_regular_file(name_or_path)) return read_matrix_file(name_or_path);
  for (const auto& file : embedded_files()) {
    if (name_of(file) != name_or_path) continue;
    return matrix_of(JsonValue::of_text(std::string(file.path), file.content));
  }
  throw unknown_name("matrix file", name_or_path, matrix_names());
}

Matrix read_matrix_file(const std::string& path) { return matrix_of(JsonValue::of_file(path)); }

}  // namespace sortlab

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

const Field& field_of_key(const JsonValue& block, const std::string& key) {
  std::vector<std::string> known = {"needs_gpu", "part"};
  for (const Field& field : config_fields()) {
    if (field.key.empty()) continue;
    if (field.key == key) return field;
    known.emplace_back(field.key);
  }
  throw block.complaint(unknown_name("key", key, known).what());
}

void read_wish(const JsonValue& value, std::vector<std::string>& texts) { texts = value.texts(); }
void read_wish(const JsonValue& value, std::string& text) { text = value.text(); }
void read_wish(const JsonValue& value, bool& is_wanted) { is_wanted = value.truth(); }
void read_wish(const JsonValue& value, std::uint64_t& number) {
  number = value.whole<std::uint64_t>(0, UINT64_MAX);
}

Selection parse_block(const JsonValue& block) {
  Selection selection;
  for (const auto& [key, value] : block.members()) {
    if (key == "needs_gpu") {
      selection.needs_gpu = value.truth();
    } else if (key == "part") {
      selection.part = value.text();
    } else {
      visit_wish(field_of_key(block, key),
                 [&json = value, &selection](auto member) { read_wish(json, selection.*member); });
    }
  }
  return selection;
}

StopSettings parse_stop(const JsonValue& block) {
  StopSettings stop;
  for (const auto& [key, value] : block.members()) {
    if (key == "time") {
      stop.time_s = value.number();
    } else if (key == "accuracy") {
      stop.accuracy = value.number();
    } else if (key == "min-samples") {
      stop.min_samples = value.whole<int>(1, INT_MAX);
    } else if (key == "max-samples") {
      stop.max_samples = value.whole<int>(1, INT_MAX);
    } else {
      const std::vector<std::string> known = {"time", "accuracy", "min-samples", "max-samples"};
      throw block.complaint(unknown_name("key", key, known).what());
    }
  }
  return stop;
}

Matrix matrix_of(const JsonValue& file) {
  Matrix matrix;
  for (const auto& [key, value] : file.members()) {
    if (key == "runs") {
      for (const auto& block : value.elements()) matrix.runs.push_back(parse_block(block));
    } else if (key == "stop") {
      matrix.stop = parse_stop(value);
    } else if (key == "rounds") {
      matrix.rounds = value.whole<int>(1, kMostRounds);
    } else if (key == "skip-slow") {
      matrix.slow_s = value.number();
    } else if (key == "description") {
      value.text();
    } else {
      const std::vector<std::string> known = {"description", "rounds", "skip-slow", "stop", "runs"};
      throw file.complaint(unknown_name("key", key, known).what());
    }
  }
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

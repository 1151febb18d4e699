// Matrix files: what to run, as data.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/plan.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

/// A string or a list of strings, as a list.
std::vector<std::string> strings(const json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  return value.get<std::vector<std::string>>();
}

Selection parse_block(const json& block) {
  Selection selection;
  for (const auto& [key, value] : block.items()) {
    if (key == "filter") {
      selection.filters = strings(value);
    } else if (key == "type") {
      selection.types = strings(value);
    } else if (key == "dist") {
      selection.dists = strings(value);
    } else if (key == "n") {
      selection.sizes = strings(value);
    } else if (key == "threads") {
      selection.threads = strings(value);
    } else if (key == "param") {
      selection.params = strings(value);
    } else if (key == "values") {
      selection.values = strings(value);
    } else if (key == "host_mem") {
      selection.host_mem = strings(value);
    } else if (key == "launch") {
      selection.launch = strings(value);
    } else if (key == "order") {
      selection.order = value.get<std::string>();
    } else if (key == "cache") {
      selection.cache = value.get<std::string>();
    } else if (key == "seed") {
      selection.seed = value.get<std::uint64_t>();
    } else if (key == "pin") {
      selection.pin = value.get<bool>();
    } else {
      const std::vector<std::string> known = {"filter", "type",     "dist",  "n",     "threads",
                                              "param",  "values",   "order", "cache", "seed",
                                              "pin",    "host_mem", "launch"};
      throw unknown_name("key in a matrix file's run", key, known);
    }
  }
  return selection;
}

StopSettings parse_stop(const json& block) {
  StopSettings stop;
  for (const auto& [key, value] : block.items()) {
    if (key == "time") {
      stop.time_s = value.get<double>();
    } else if (key == "accuracy") {
      stop.accuracy = value.get<double>();
    } else if (key == "min-samples") {
      stop.min_samples = value.get<int>();
    } else if (key == "max-samples") {
      stop.max_samples = value.get<int>();
    } else {
      const std::vector<std::string> known = {"time", "accuracy", "min-samples", "max-samples"};
      throw unknown_name("key in a matrix file's stop", key, known);
    }
  }
  return stop;
}

std::filesystem::path matrix_folder() { return std::filesystem::path(kSourceDir) / "bench"; }

}  // namespace

std::vector<std::string> matrix_names() {
  std::vector<std::string> names;
  if (!std::filesystem::is_directory(matrix_folder())) return names;
  for (const auto& entry : std::filesystem::directory_iterator(matrix_folder())) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_matrix_file(const std::string& name_or_path) {
  if (std::filesystem::is_regular_file(name_or_path)) return name_or_path;
  const auto by_name = matrix_folder() / (name_or_path + ".json");
  if (std::filesystem::is_regular_file(by_name)) return by_name.string();
  throw unknown_name("matrix file", name_or_path, matrix_names());
}

Matrix read_matrix_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw BadInput(fmt::format("{}: {}", path, std::strerror(errno)));
  try {
    const json text = json::parse(in);
    Matrix matrix;
    for (const json& block : text.at("runs")) matrix.runs.push_back(parse_block(block));
    if (text.contains("stop")) matrix.stop = parse_stop(text.at("stop"));
    matrix.rounds = text.value("rounds", 1);
    return matrix;
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("{}: {}", path, error.what()));
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace sortlab

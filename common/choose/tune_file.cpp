#include "common/choose/tune_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/choose/json_reading.hpp"
#include "common/contract/errors.hpp"
#include "common/contract/read_file.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kMark = "sortlab_tune";
constexpr int kVersion = 1;

BadInput malformed(const std::string& path, const std::string& why) {
  return BadInput(fmt::format("{}: no file of `sortlab tune`: {}", path, why));
}

/// The whole file. `Json` decides whether the order of its keys is kept.
template <class Json>
Json parse_file(std::string_view text, const std::string& path) {
  Json all;
  try {
    all = parse_json<Json>(text);
  } catch (const BadInput& error) {
    throw malformed(path, error.what());
  }
  if (!all.is_object() || !all.contains(kMark)) {
    throw malformed(path, fmt::format("it has no \"{}\"", kMark));
  }
  if (all.at(kMark) != kVersion) {
    const std::string version =
        all.at(kMark).dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 40);
    throw malformed(path, fmt::format("its version is {}, this build reads {}", version, kVersion));
  }
  return all;
}

Steps parse_steps(const json& list, const std::string& path, bool may_begin_later = false) {
  Steps steps;
  for (const auto& step : list) {
    if (!step.at("n").is_number_unsigned()) throw malformed(path, "an \"n\" is not a count");
    steps.push_back({step.at("n").get<std::size_t>(), step.at("id").get<std::string>()});
    const bool in_order = steps.size() == 1 ? steps[0].from_n == 0 || may_begin_later
                                            : steps[steps.size() - 2].from_n < steps.back().from_n;
    if (!in_order) throw malformed(path, "the \"n\" of \"from\" must grow from 0 on");
  }
  if (steps.empty()) throw malformed(path, "a list \"from\" is empty");
  return steps;
}

Widths parse_widths(const json& choice) {
  return {whole_of<std::size_t>(choice.at("key_bytes")),
          whole_of<std::size_t>(choice.at("value_bytes")), choice.at("stable").get<bool>()};
}

/// The facts about the measurement that both sections hold.
template <class Tuning>
void parse_origin(const json& section, Tuning& tuning) {
  section.at("revision").get_to(tuning.revision);
  section.at("measured_utc").get_to(tuning.measured_utc);
  section.at("results").get_to(tuning.results);
}

void parse_section(const json& section, const std::string& path, GpuTuning& tuning) {
  section.at("device").get_to(tuning.device);
  tuning.sms = whole_of<int>(section.at("sms"));
  section.at("cuda_driver").get_to(tuning.cuda_driver);
  section.at("cuda_runtime").get_to(tuning.cuda_runtime);
  parse_origin(section, tuning);
  if (tuning.sms < 1) throw malformed(path, "\"sms\" must be 1 or more");
  for (const auto& choice : section.at("choices")) {
    tuning.choices[parse_widths(choice)] = parse_steps(choice.at("from"), path);
  }
}

void parse_section(const json& section, const std::string& path, CpuTuning& tuning) {
  section.at("cpu").get_to(tuning.cpu);
  tuning.threads = whole_of<int>(section.at("threads"));
  parse_origin(section, tuning);
  for (const auto& choice : section.at("choices")) {
    const auto isa = isa_from_name(choice.at("isa").get<std::string>());
    if (!isa) throw malformed(path, "an \"isa\" is no instruction set");
    const CpuSetting setting{*isa, whole_of<int>(choice.at("threads"))};
    if (setting.threads < 1) throw malformed(path, "\"threads\" must be 1 or more");
    tuning.choices[setting][parse_widths(choice)] =
        parse_steps(choice.at("from"), path, setting.threads > 1);
  }
}

/// Nothing when the text has no such section.
template <class Tuning>
std::optional<Tuning> parse_tuning(std::string_view text, const std::string& path,
                                   const char* name) {
  const json all = parse_file<json>(text, path);
  if (!all.contains(name)) return std::nullopt;
  try {
    Tuning tuning;
    parse_section(all.at(name), path, tuning);
    return tuning;
  } catch (const json::exception& error) {
    const std::string_view what =
        error.what();  // "[json.exception.type_error.302] type must be ..."
    throw malformed(path, std::string(what.substr(what.find(']') + 2)));
  }
}

/// A choice for some widths, after the other facts that it depends on.
ordered_json choice_of(ordered_json choice, Widths widths, const Steps& steps) {
  ordered_json from = ordered_json::array();
  for (const auto& step : steps) from.push_back({{"n", step.from_n}, {"id", step.id}});
  choice["key_bytes"] = widths.key_bytes;
  choice["value_bytes"] = widths.value_bytes;
  choice["stable"] = widths.stable;
  choice["from"] = from;
  return choice;
}

ordered_json section_of(const GpuTuning& tuning) {
  ordered_json choices = ordered_json::array();
  for (const auto& [widths, steps] : tuning.choices) {
    choices.push_back(choice_of(ordered_json::object(), widths, steps));
  }
  return {{"device", tuning.device},           {"sms", tuning.sms},
          {"cuda_driver", tuning.cuda_driver}, {"cuda_runtime", tuning.cuda_runtime},
          {"revision", tuning.revision},       {"measured_utc", tuning.measured_utc},
          {"results", tuning.results},         {"choices", choices}};
}

ordered_json section_of(const CpuTuning& tuning) {
  ordered_json choices = ordered_json::array();
  for (const auto& [setting, of_setting] : tuning.choices) {
    for (const auto& [widths, steps] : of_setting) {
      choices.push_back(
          choice_of({{"isa", name_of(setting.isa)}, {"threads", setting.threads}}, widths, steps));
    }
  }
  return {{"cpu", tuning.cpu},           {"threads", tuning.threads},
          {"revision", tuning.revision}, {"measured_utc", tuning.measured_utc},
          {"results", tuning.results},   {"choices", choices}};
}

bool is_step(const ordered_json& value) {
  return value.is_object() && value.size() == 2 && value.contains("n") && value.contains("id");
}

/// Adds a value laid out as dump(2) does, but with each step on one line.
void add_text(std::string& text, const ordered_json& value, std::size_t indent = 0) {
  if (!value.is_structured() || value.empty()) {
    text += value.dump();
    return;
  }
  if (is_step(value)) {
    text += fmt::format(R"({{"n": {}, "id": {}}})", value["n"].dump(), value["id"].dump());
    return;
  }
  text += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, element] : value.items()) {
    text += separator + std::string(indent + 2, ' ');
    if (value.is_object()) text += ordered_json(key).dump() + ": ";
    add_text(text, element, indent + 2);
    separator = ",\n";
  }
  text += '\n' + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

/// The value of a variable that is set and not empty.
std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string settings_path() { return user_file("XDG_CONFIG_HOME", ".config", "tune.json"); }

/// The text of the file; empty for a file that does not exist yet, and for a device.
ordered_json file_to_add_to(const std::string& path) {
  if (!fs::exists(path) || fs::is_character_file(path)) return {{kMark, kVersion}};
  return parse_file<ordered_json>(read_file(path), path);
}

template <class Tuning>
std::string with_section(const std::string& path, const char* name, const Tuning& tuning) {
  ordered_json all = file_to_add_to(path);
  all[name] = section_of(tuning);
  std::string text;
  add_text(text, all);
  return text + '\n';
}

template <class Tuning>
std::optional<Tuning> tuning_in_use(const char* name) {
  const std::string path = tune_path_in_use();
  if (path.empty()) return std::nullopt;
  return parse_tuning<Tuning>(read_file(path), path, name);
}

}  // namespace

std::string CpuSetting::text() const {
  return fmt::format("{}, {} thread{}", name_of(isa), threads, threads == 1 ? "" : "s");
}

std::optional<GpuTuning> parse_gpu_tuning(std::string_view text, const std::string& path) {
  return parse_tuning<GpuTuning>(text, path, "gpu");
}
std::optional<CpuTuning> parse_cpu_tuning(std::string_view text, const std::string& path) {
  return parse_tuning<CpuTuning>(text, path, "cpu");
}

void require_tune_file(const std::string& path) { file_to_add_to(path); }

std::string text_with(const GpuTuning& tuning, const std::string& path) {
  return with_section(path, "gpu", tuning);
}
std::string text_with(const CpuTuning& tuning, const std::string& path) {
  const ordered_json file = file_to_add_to(path);
  const auto known = parse_tuning<CpuTuning>(file.dump(), path, "cpu");
  CpuTuning all = tuning;
  if (known && known->cpu == tuning.cpu) {
    for (const auto& [setting, of_setting] : known->choices) {
      for (const auto& [widths, steps] : of_setting) all.choices[setting].emplace(widths, steps);
    }
    all.results = known->results;
    for (const auto& file_read : tuning.results) {
      if (std::find(all.results.begin(), all.results.end(), file_read) == all.results.end())
        all.results.push_back(file_read);
    }
  }
  return with_section(path, "cpu", all);
}

std::string user_file(const char* folder, const char* below_home, const std::string& name) {
  const auto named = variable(folder), home = variable("HOME");
  if (!named && !home) return "";
  return (named ? fs::path(*named) : fs::path(*home) / below_home) / "sortlab" / name;
}

std::string default_tune_path() {
  const std::string path = settings_path();
  if (path.empty()) {
    throw BadInput("neither XDG_CONFIG_HOME nor HOME says where the choices go: --out FILE");
  }
  return path;
}

std::string tune_path_in_use() {
  if (const char* const named = std::getenv("SORTLAB_TUNE")) return named;
  const std::string path = settings_path();
  // A home that this user may not read has no settings for it, like one without the file.
  return !path.empty() && access(path.c_str(), R_OK) == 0 ? path : "";
}

std::optional<GpuTuning> gpu_tuning_in_use() { return tuning_in_use<GpuTuning>("gpu"); }
std::optional<CpuTuning> cpu_tuning_in_use() { return tuning_in_use<CpuTuning>("cpu"); }

}  // namespace sortlab

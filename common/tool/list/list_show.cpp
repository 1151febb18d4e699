#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"
#include "common/tool/plugin/plugin_flag.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

std::vector<std::string> key_types(const Variant& variant) {
  std::vector<std::string> names;
  for (int i = 0; i < kKeyTypeCount; ++i) {
    if (variant.instance(static_cast<KeyType>(i), 0, Order::ascending) != nullptr) {
      names.emplace_back(kKeyTypeNames[i]);
    }
  }
  return names;
}

std::vector<std::string> pair_types(const Variant& variant) {
  std::vector<std::string> names;
  for (int i = 0; i < kKeyTypeCount; ++i) {
    if (variant.instance(static_cast<KeyType>(i), 4, Order::ascending) != nullptr) {
      names.push_back(std::string(kKeyTypeNames[i]) + "+u32");
    }
  }
  return names;
}

std::string isas(const Variant& variant) {
  if (variant.info.memory == Memory::device) return "";
  if (variant.isa_name != nullptr) return "library's choice";
  std::string names;
  for (int i = 0; i < kIsaCount; ++i) {
    const auto isa = static_cast<Isa>(i);
    if (variant.info.isas.has(isa))
      names += fmt::format("{}{}", names.empty() ? "" : ",", name_of(isa));
  }
  return names;
}

std::string source_file(const Variant& variant) {
  if (!variant.plugin_file.empty()) return variant.plugin_file;
  return (std::filesystem::path(kSourceDir) / (variant.id + "." + variant.extension)).string();
}

/// The comment lines that a source file begins with, without their slashes.
std::string top_comment(const std::string& path) {
  std::ifstream in(path);
  std::string text;
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    text += line.substr(std::min<std::size_t>(line.starts_with("// ") ? 3 : 2, line.size())) + '\n';
  }
  return text;
}

/// The rungs from the first one up to this one, then those that build on it.
std::string ladder(const Variant& variant) {
  std::vector<std::string> below;
  for (const Variant* v = &variant; v != nullptr && below.size() < 32;
       v = find_variant(v->info.after)) {
    below.push_back(v->id);
  }
  std::reverse(below.begin(), below.end());
  std::string text;
  for (const auto& id : below) {
    text += fmt::format("{}{}", text.empty() ? "" : " -> ", id == variant.id ? "[" + id + "]" : id);
  }
  for (const auto& v : all_variants()) {
    if (v.info.after == variant.id) text += " -> " + v.id;
  }
  return text;
}

json to_json(const Variant& v) {
  json params = json::array();
  for (const auto& spec : v.info.params) {
    params.push_back({{"name", spec.name},
                      {"default", spec.fallback},
                      {"min", spec.min},
                      {"max", spec.max},
                      {"help", spec.help}});
  }
  return {{"id", v.id},
          {"algorithm", v.algorithm()},
          {"summary", v.info.summary},
          {"source", v.info.source},
          {"after", v.info.after},
          {"key_types", key_types(v)},
          {"pair_types", pair_types(v)},
          {"memory", name_of(v.info.memory)},
          {"stable", v.info.stable},
          {"in_place", v.info.in_place},
          {"parallel", v.info.parallel},
          {"total_order", v.info.total_order},
          {"capturable", v.info.capturable},
          {"isa", isas(v)},
          {"lib_version", v.info.lib_version},
          {"temp_policy", name_of(v.info.temp_policy)},
          {"params", params},
          {"unavailable", v.unavailable()}};
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

enum class ListFormat { text, markdown, json };

int list_command(const std::vector<std::string>& filters, ListFormat format) {
  const auto variants = select_variants(filters);
  if (format == ListFormat::json) {
    json all = json::array();
    for (const Variant* v : variants) all.push_back(to_json(*v));
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  if (format == ListFormat::markdown) {
    fmt::print("| id | key types | pairs | memory | stable | isa | summary |\n");
    fmt::print("|---|---|---|---|---|---|---|\n");
    for (const Variant* v : variants) {
      fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", v->id, key_types(*v).size(),
                 pair_types(*v).size(), name_of(v->info.memory), v->info.stable ? "yes" : "no",
                 isas(*v), v->info.summary);
    }
    return 0;
  }
  std::string text = fmt::format("{:40} {:>5} {:>5} {:6} {:6} {:18} {}\n", "id", "keys", "pairs",
                                 "memory", "stable", "isa", "summary");
  for (const Variant* v : variants) {
    const std::string unavailable = v->unavailable();
    text += fmt::format("{:40} {:>5} {:>5} {:6} {:6} {:18} {}{}\n", v->id,
                        fmt::format("{}/{}", key_types(*v).size(), kKeyTypeCount),
                        fmt::format("{}/{}", pair_types(*v).size(), kKeyTypeCount),
                        name_of(v->info.memory), v->info.stable ? "yes" : "no", isas(*v),
                        v->info.summary,
                        unavailable.empty() ? "" : " [unavailable: " + unavailable + "]");
  }
  fmt::print("{}\nkeys, pairs: of {} key types. `show ID` tells more of one.\n", text,
             kKeyTypeCount);
  return 0;
}

int dists_command() {
  for (const auto& d : all_distributions()) {
    fmt::print("{:12} {}{}{}\n", d.name, d.formula,
               d.default_param.empty() ? "" : fmt::format(" (default {})", d.default_param),
               d.correctness_only ? " (for correctness only)" : "");
  }
  fmt::print(
      "\nKey i of n: w, w' are random words of index i; u a word read as a fraction in [0, 1); "
      "R(x) the "
      "key\nat the fraction x of the type's range: all of it for integers, [0, 1) for floats.\n");
  return 0;
}

int show_command(const std::string& id) {
  const Variant* const variant = find_variant(id);
  if (variant == nullptr) {
    std::vector<std::string> ids;
    for (const auto& v : all_variants()) ids.push_back(v.id);
    throw unknown_name("variant", id, ids);
  }
  const Info& info = variant->info;
  const std::string unavailable = variant->unavailable();
  const std::string details = variant->details != nullptr ? variant->details() : "";
  fmt::print("{}: {}\n\n", variant->id, info.summary);
  fmt::print("ladder:    {}\n", ladder(*variant));
  fmt::print("source:    {}\n", info.source);
  fmt::print("keys:      {}\n", joined(key_types(*variant)));
  fmt::print("pairs:     {}\n", joined(pair_types(*variant)));
  fmt::print("memory:    {}, {}\n", name_of(info.memory),
             info.in_place ? "in place" : "needs extra memory");
  fmt::print("stable:    {}\n", info.stable ? "yes" : "no");
  if (info.memory == Memory::host) {
    fmt::print("threads:   {}\n", info.parallel ? "as many as it is given" : "one");
    fmt::print("isa:       {}\n", isas(*variant));
  } else {
    fmt::print("graph:     {}\n", info.capturable ? "--launch graph" : "can't be captured");
  }
  const bool floats = variant->instance(KeyType::f32, 0, Order::ascending) != nullptr ||
                      variant->instance(KeyType::f64, 0, Order::ascending) != nullptr;
  if (floats && !info.total_order) fmt::print("limits:    takes -0 and +0, or NaNs, as equal\n");
  if (!info.lib_version.empty()) fmt::print("library:   {}\n", info.lib_version);
  for (const auto& spec : info.params) {
    fmt::print("parameter: {}={} ({} to {}): {}\n", spec.name, spec.fallback, spec.min, spec.max,
               spec.help);
  }
  if (!unavailable.empty()) fmt::print("unavailable: {}\n", unavailable);
  fmt::print("{}", details);
  const std::string path = source_file(*variant);
  fmt::print("file:      {}\n\n{}", path, top_comment(path));
  return 0;
}

}  // namespace

void add_list_command(CLI::App& app, CommandContext& context) {
  struct Options {
    std::vector<std::string> filters;
    ListFormat format = ListFormat::text;
  };
  const auto options = std::make_shared<Options>();
  auto* list = app.add_subcommand("list", "List the variants");
  list->add_option("--filter", options->filters, "Globs on ids")
      ->delimiter(',')
      ->type_name("VARIANT");
  add_plugin_flag(*list);
  add_examples(*list, context, {"list --filter 'cpu/radix/*'", "list --json"});
  list->add_flag_callback(
      "--json", [options] { options->format = ListFormat::json; }, "As JSON");
  list->add_flag_callback(
      "--markdown", [options] { options->format = ListFormat::markdown; }, "As a table");
  list->callback(
      [options, &context] { context.exit_code = list_command(options->filters, options->format); });
}

void add_show_command(CLI::App& app, CommandContext& context) {
  const auto id = std::make_shared<std::string>();
  auto* show = app.add_subcommand("show", "Show one variant: its idea, its place, its source");
  show->add_option("ID", *id, "As `list` prints it")->required()->type_name("VARIANT");
  add_plugin_flag(*show);
  add_examples(*show, context, {"show cpu/radix/parallel"});
  show->callback([id, &context] { context.exit_code = show_command(*id); });
}

void add_dists_command(CLI::App& app, CommandContext& context) {
  auto* dists = app.add_subcommand("dists", "List the distributions and their formulas");
  add_examples(*dists, context, {"dists"});
  dists->callback([&context] { context.exit_code = dists_command(); });
}

}  // namespace sortlab

// `sortlab show`: one variant, its place on the ladder, and its file's top comment.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/contract/variant_table.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"
#include "common/tool/list/catalogue.hpp"
#include "common/tool/list/facts.hpp"
#include "common/tool/list/ladder_tree.hpp"
#include "common/tool/list/source_text.hpp"
#include "common/tool/list/variants_json.hpp"
#include "common/tool/output_format.hpp"
#include "common/tool/plugin/plugin_flag.hpp"

namespace sortlab {
namespace {

/// The comment that the variant's file begins with.
std::string about(const Variant& variant) {
  return fmt::format("{}", fmt::join(source_text(variant.id).head(), "\n"));
}

/// Where to read more: the plug-in, the source file if its tree exists, or its path in the tree.
std::string source_file(const Variant& variant) {
  if (!variant.plugin_file.empty()) return variant.plugin_file;
  const std::string below_root = variant.id + "." + variant.extension;
  const auto path = std::filesystem::path(kSourceDir) / below_root;
  std::error_code none;
  if (std::filesystem::exists(path, none)) return path.string();
  return fmt::format("{} of revision {}", below_root, kGitRevision);
}

/// The whole ladder, the shown rung in brackets; a plug-in's sorts have none.
std::string ladder(const Variant& variant) {
  if (!variant.plugin_file.empty()) return std::string(variant.id);
  std::string text;
  for (const auto& [id, branch] : ladder_tree(ladder_of(variant.id))) {
    text += text.empty() ? "" : "\n           ";
    text += branch + (id == variant.id ? "[" + id + "]" : id);
  }
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

BadInput no_variant(const std::string& id) {
  for (const auto& left_out : variant_table().left_out) {
    if (left_out.id == id) {
      return BadInput(fmt::format("{} is not in this build: {}", id, left_out.reason));
    }
  }
  std::vector<std::string> ids;
  for (const auto& v : all_variants()) ids.push_back(v.id);
  return unknown_name("variant", id, ids);
}

int show_command(const std::string& id, OutputFormat format) {
  const Variant* const variant = find_variant(id);
  if (variant == nullptr) throw no_variant(id);
  if (format == OutputFormat::json) {
    auto json = nlohmann::ordered_json::parse(variants_json({variant})).front();
    json["file"] = source_file(*variant);
    json["about"] = about(*variant);
    print_json("show", {{"variant", json}});
    return 0;
  }
  const Info& info = variant->info;
  const std::string unavailable = why_not_here(*variant);
  const std::string details = variant->details != nullptr ? variant->details() : "";
  fmt::print("{}: {}\n\n", variant->id, info.summary);
  fmt::print("ladder:    {}\n", ladder(*variant));
  fmt::print("source:    {}\n", info.source);
  fmt::print("keys:      {}\n", joined(key_types(*variant)));
  fmt::print("pairs:     {}\n", joined(pair_types(*variant)));
  fmt::print("memory:    {}\n", name_of(info.memory));
  fmt::print("in place:  {}\n", where(*variant, &Traits::in_place));
  fmt::print("stable:    {}\n", where(*variant, &Traits::stable));
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
  if (!unavailable.empty()) fmt::print("can't run here: {}\n", unavailable);
  fmt::print("{}", details);
  fmt::print("file:      {}\n\n{}", source_file(*variant), about(*variant));
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, CommandContext& context) {
  const auto id = std::make_shared<std::string>();
  const auto format = std::make_shared<OutputFormat>(OutputFormat::text);
  auto* show = app.add_subcommand("show", "Show one variant: its idea, its place, its source");
  show->add_option("ID", *id, "As `list` prints it")->required()->type_name("VARIANT");
  add_plugin_flag(*show);
  add_format_flag(*show, *format);
  add_examples(*show, context, {"show cpu/radix/parallel"});
  show->callback([id, format, &context] { context.exit_code = show_command(*id, *format); });
}

}  // namespace sortlab

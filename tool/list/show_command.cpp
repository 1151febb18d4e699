// `sortlab show`: one variant, its place on the ladder, and its file's top comment.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/list/facts.hpp"
#include "tool/list/source_text.hpp"
#include "tool/output_format.hpp"
#include "tool/selection_flags.hpp"

namespace sortlab {
namespace {

/// The comment that the variant's file begins with.
std::string about(const Variant& variant) {
  return fmt::format("{}", fmt::join(source_text(variant.id).head(), "\n"));
}

std::string fitted(std::string_view text, std::size_t indent) {
  return wrapped(text, room_for_text(STDOUT_FILENO), indent);
}

constexpr std::size_t kFactIndent = 11;

void print_fact(std::string_view name, std::string_view fact) {
  fmt::print("{}\n", fitted(fmt::format("{:10} {}", name, fact), kFactIndent));
}

/// Lines of a comment that end where the next word would have found no room are one.
std::string joined_lines(std::string text) {
  constexpr std::size_t kShortLine = 80;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    if (i - begin > kShortLine) text[i] = ' ';
    begin = i + 1;
  }
  return text;
}

/// The same for a window that is narrower than the comment. Drawings, which are indented, stay as they are.
std::string about_for_window(const Variant& variant) {
  constexpr std::size_t kCommentWidth = 100;
  if (room_for_text(STDOUT_FILENO) >= kCommentWidth) return about(variant);
  std::string text;
  for (const auto& paragraph : source_text(variant.id).head()) {
    const bool is_drawing =
        paragraph.starts_with(' ') || paragraph.find("\n ") != std::string::npos;
    const std::string lines = paragraph.substr(0, paragraph.size() - 1);  // without the last break
    text +=
        (text.empty() ? "" : "\n") + (is_drawing ? lines : fitted(joined_lines(lines), 0)) + '\n';
  }
  return text;
}

/// Where to read on: the plug-in, the source file where its tree is there, or its path in the tree.
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

struct ShowOptions {
  std::string id;
  OutputFormat format = OutputFormat::text;
};

int show_command(ShowOptions& options, const CommandContext&) {
  const Variant* const variant = find_variant(options.id);
  if (variant == nullptr) throw no_such_variant(options.id);
  if (options.format == OutputFormat::json) {
    auto json = nlohmann::ordered_json::parse(variants_json({variant})).front();
    json["file"] = source_file(*variant);
    json["about"] = about(*variant);
    print_json("show", {{"variant", json}});
    return 0;
  }
  const Info& info = variant->info;
  const std::string unavailable = why_not_here(*variant);
  const std::string details = variant->details != nullptr ? variant->details() : "";
  fmt::print("{}\n\n", fitted(fmt::format("{}: {}", variant->id, info.summary), 0));
  fmt::print("ladder:    {}\n", ladder(*variant));
  print_fact("source:", info.source);
  print_fact("keys:", joined(key_types(*variant)));
  print_fact("pairs:", pair_types(*variant).empty() ? "none" : joined(pair_types(*variant)));
  print_fact("memory:", name_of(info.memory));
  print_fact("in place:", where(*variant, &Traits::in_place));
  print_fact("stable:", where(*variant, &Traits::stable));
  if (info.memory != Memory::device) {
    print_fact("threads:", info.parallel ? "as many as it is given" : "one");
    print_fact("isa:", isas(*variant));
  } else {
    print_fact("graph:", info.capturable ? "--launch graph" : "can't be captured");
  }
  const bool floats =
      std::any_of(variant->instances.begin(), variant->instances.end(),
                  [](const Instance& i) { return is_floating(i.key_type) && i.value_bytes == 0; });
  if (floats && !info.total_order) print_fact("limits:", "takes -0 and +0, or NaNs, as equal");
  if (!info.lib_version.empty()) print_fact("library:", info.lib_version);
  for (const auto& spec : info.params) {
    print_fact("parameter:", fmt::format("{}={} ({} to {}): {}", spec.name, spec.fallback, spec.min,
                                         spec.max, spec.help));
  }
  if (!unavailable.empty()) print_fact("can't run here:", unavailable);
  fmt::print("{}", wrapped_lines(details, room_for_text(STDOUT_FILENO), kFactIndent));
  fmt::print("file:      {}\n\n{}", source_file(*variant), about_for_window(*variant));
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, CommandContext& context) {
  auto [show, options] = add_command(
      app, context, "show", "Show one variant: its idea, its place, its source", show_command);
  add_text(show, "ID", options.id, "VARIANT", "As `list` prints it")->required();
  add_plugin_flag(show);
  add_format_flag(show, options.format);
  add_examples(show, context, {"show cpu/radix/parallel"});
}

}  // namespace sortlab

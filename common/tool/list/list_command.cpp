// `sortlab list`: the variants, for people, as the README's table, or with all about them as JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "common/harness/plan/plan.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"
#include "common/tool/list/facts.hpp"
#include "common/tool/list/variants_json.hpp"
#include "common/tool/plugin/plugin_flag.hpp"

namespace sortlab {
namespace {

enum class ListFormat { text, markdown, json };

int list_command(const std::vector<std::string>& filters, ListFormat format) {
  const auto variants = select_variants(filters);
  if (format == ListFormat::json) {
    fmt::print("{}\n", variants_json(variants));
    return 0;
  }
  if (format == ListFormat::markdown) {
    fmt::print("| id | key types | pairs | memory | parallel | stable | isa | summary |\n");
    fmt::print("|---|---|---|---|---|---|---|---|\n");
    for (const Variant* v : variants) {
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", v->id, key_types(*v).size(),
                 pair_types(*v).size(), name_of(v->info.memory), parallel(*v),
                 v->info.stable ? "yes" : "no", isas(*v), v->info.summary);
    }
    return 0;
  }
  std::string text = fmt::format("{:40} {:>5} {:>5} {:6} {:8} {:6} {:18} {}\n", "id", "keys",
                                 "pairs", "memory", "parallel", "stable", "isa", "summary");
  for (const Variant* v : variants) {
    const std::string unavailable = v->unavailable();
    text += fmt::format("{:40} {:>5} {:>5} {:6} {:8} {:6} {:18} {}{}\n", v->id,
                        fmt::format("{}/{}", key_types(*v).size(), kKeyTypeCount),
                        fmt::format("{}/{}", pair_types(*v).size(), kKeyTypeCount),
                        name_of(v->info.memory), parallel(*v), v->info.stable ? "yes" : "no",
                        isas(*v), v->info.summary,
                        unavailable.empty() ? "" : " [unavailable: " + unavailable + "]");
  }
  fmt::print("{}\nkeys, pairs: of {} key types. `show ID` tells more of one.\n", text,
             kKeyTypeCount);
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
  list->add_option("--filter", options->filters, "Globs on ids; @auto: what `auto` may choose")
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

}  // namespace sortlab

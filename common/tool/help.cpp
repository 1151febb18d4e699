#include "common/tool/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace sortlab {
namespace {

constexpr std::string_view kHeading = "Examples:\n";

/// The line behind the heading; "" when the command has no examples.
std::string first_example(const CLI::App& command) {
  const std::string footer = command.get_footer();
  const auto heading = footer.find(kHeading);
  if (heading == std::string::npos) return "";
  const auto begin = heading + kHeading.size();
  return footer.substr(begin, footer.find('\n', begin) - begin);
}

}  // namespace

void add_examples(CLI::App& command, const CommandContext& context,
                  const std::vector<std::string>& examples, const std::string& notes) {
  std::string text(kHeading);
  for (const auto& example : examples) text += fmt::format("  {} {}\n", context.program, example);
  command.footer(text + (notes.empty() ? "" : "\n" + notes));
}

void add_overview(CLI::App& app) {
  std::string text(kHeading);
  for (const CLI::App* command : app.get_subcommands({})) {
    if (const auto example = first_example(*command); !example.empty()) text += example + "\n";
  }
  app.footer(text + "\nCOMMAND --help tells the rest of each.");
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
    for (const auto& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

}  // namespace sortlab

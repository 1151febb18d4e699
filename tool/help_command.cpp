// `sortlab help [COMMAND]`, and the text of `--version`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "common/contract/errors.hpp"
#include "common/harness/machine/build_info.hpp"
#include "tool/commands.hpp"
#include "tool/help.hpp"

namespace sortlab {
namespace {

/// The command of that name. Throws BadInput with the nearest ones.
CLI::App& command_named(CLI::App& app, const std::string& name) {
  std::vector<std::string> known;
  for (CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return *command;
    known.push_back(command->get_name());
  }
  throw unknown_name("command", name, known);
}

}  // namespace

std::string version_text(const std::string& program) {
  const std::string_view cuda = kCudaCompiler;
  return fmt::format("{} {} (revision {}{}, {}, {})", program, kVersion, kGitRevision,
                     kGitDirty ? " with changes" : "", kCompiler,
                     cuda.empty() ? "CPU sorts only" : fmt::format("CUDA: {}", cuda));
}

void add_help_command(CLI::App& app, CommandContext& context) {
  const auto name = std::make_shared<std::string>();
  auto* help = app.add_subcommand("help", "Show this help, or that of a command");
  help->add_option("COMMAND", *name, "Which command (default: all, in short)")
      ->type_name("COMMAND");
  add_examples(*help, context, {"help run"});
  help->callback([&app, &context, name] {
    const CLI::App& command = name->empty() ? app : command_named(app, *name);
    fmt::print("{}", help_text(command, context.program));
    context.exit_code = 0;
  });
}

}  // namespace sortlab

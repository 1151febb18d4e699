// `sortlab help [COMMAND]`, and the text of `--version`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "common/harness/machine/build_info.hpp"
#include "common/harness/record/run_files.hpp"
#include "tool/commands.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"

namespace sortlab {
namespace {

int print_help(std::string& name, const CommandContext& context) {
  const CLI::App& app = *context.command->get_parent();
  fmt::print("{}", help_text(name.empty() ? app : command_named(app, name), context.program));
  return 0;
}

}  // namespace

std::string version_text(const std::string& program) {
  const std::string_view cuda = kCudaCompiler;
  return fmt::format("{} {} (revision {}, {}, {})", program, kVersion, this_revision(), kCompiler,
                     cuda.empty() ? "CPU sorts only" : fmt::format("CUDA: {}", cuda));
}

void add_help_command(CLI::App& app, CommandContext& context) {
  auto [help, name] =
      add_command(app, context, "help", "Show this help, or that of a command", print_help);
  add_text(help, "COMMAND", name, "COMMAND", "Which command (default: all, in short)");
  add_examples(help, context, {"help run"});
}

}  // namespace sortlab

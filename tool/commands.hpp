// The commands of the tool. Each add_..._command() adds one, with its flags, to the command line;
// parsing then executes it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sortlab {

struct CommandContext {
  std::string program;                 // its name in the help
  std::vector<std::string> arguments;  // the whole command line, the program's name first
  const CLI::App* command = nullptr;   // that runs
  int exit_code = 0;                   // of it
};

/// All variants: id, types, memory, stability, instruction sets, summary.
void add_list_command(CLI::App& app, CommandContext& context);

/// One variant: its facts, its place in the ladder, its top comment and its source file.
void add_show_command(CLI::App& app, CommandContext& context);

/// A ladder on one screen: its rungs as a tree, the gain of each, and the changes between two.
void add_ladder_command(CLI::App& app, CommandContext& context);

/// The steps of an algorithm on a few keys, as text and as an animated picture.
void add_trace_command(CLI::App& app, CommandContext& context);

/// Writes the file of a new sort that compiles and does not sort yet.
void add_new_command(CLI::App& app, CommandContext& context);

/// All distributions with their formulas.
void add_dists_command(CLI::App& app, CommandContext& context);

/// Measures the configurations that the flags, or a matrix file, select.
void add_run_command(CLI::App& app, CommandContext& context);

/// Two runs side by side; exit code 1 when anything became slower.
void add_compare_command(CLI::App& app, CommandContext& context);

/// The best variant for one n, type and distribution, from measurements or by making them.
void add_recommend_command(CLI::App& app, CommandContext& context);

/// Measures from which n on this GPU or CPU should use which sort, for the variants that choose.
void add_tune_command(CLI::App& app, CommandContext& context);

/// Sorts the adversarial sizes and all distributions with every variant selected, without clocks.
void add_verify_command(CLI::App& app, CommandContext& context);

/// Compares this machine with published tables, figures and claims.
void add_reproduce_command(CLI::App& app, CommandContext& context);

/// The script by which a shell completes command lines.
void add_completion_command(CLI::App& app, CommandContext& context);

/// One self-contained page of results.
void add_report_command(CLI::App& app, CommandContext& context);

/// Lists this machine's hardware and software, the missing parts, and the command that installs
/// them.
void add_doctor_command(CLI::App& app, CommandContext& context);

/// The help of the whole program, or of one command.
void add_help_command(CLI::App& app, CommandContext& context);

/// "sortlab 0.1.0 (revision ..., compiler ...)": what --version prints.
std::string version_text(const std::string& program);

}  // namespace sortlab

#include "common/main_template.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>

#include "common/contract/errors.hpp"
#include "common/contract/isa.hpp"
#include "common/contract/numbers.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/ranks/ranks.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/harness/worker/busy_cpus.hpp"
#include "common/harness/worker/worker.hpp"
#include "common/notes.hpp"
#include "tool/commands.hpp"
#include "tool/completion/completion.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"

namespace sortlab {
namespace {

/// --color, for each command.
void add_color_flag(CLI::App& command) {
  add_choice(command, "--color", "auto|always|never",
             "Colours: on a terminal without NO_COLOR (default auto), or as told",
             [](std::size_t place) { set_colors(static_cast<Colors>(place)); });
}

/// A file that a program opens takes the lowest free number. If stderr is closed, a CSV would get
/// number 2, and all messages. A closed stdout is opened for reading, so that writing to it is an
/// error.
void open_standard_files() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

void require_stdout_written() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::runtime_error(std::string("stdout: ") +
                           (errno != 0 ? std::strerror(errno) : "not all could be written"));
}

/// Runs this process as a part of another sortlab process if the arguments say so: a worker, a rank
/// or a load. Returns its exit code.
std::optional<int> serve_parent(int argc, char** argv) {
  const std::string_view role = argc > 1 ? argv[1] : "";
  if (argc == 3 && role == "worker") {
    return worker_main(static_cast<int>(whole_number("worker", argv[2], 0, INT_MAX)));
  }
  if (argc == 4 && role == "rank") {
    const auto count = static_cast<int>(whole_number("rank", argv[2], 1, INT_MAX));
    const auto socket = parse_whole(argv[3]);
    return rank_main(count, socket ? static_cast<int>(*socket) : -1, argv[3]);
  }
  if (argc == 3 && role == "load") return busy_main(argv[2]);
  return std::nullopt;
}

void add_commands(CLI::App& app, CommandContext& context) {
  app.require_subcommand(1);
  for (const auto add :
       {add_list_command, add_show_command, add_ladder_command, add_trace_command, add_new_command,
        add_dists_command, add_run_command, add_compare_command, add_recommend_command,
        add_tune_command, add_verify_command, add_reproduce_command, add_report_command,
        add_doctor_command, add_completion_command, add_help_command}) {
    add(app, context);
  }
  for (CLI::App* command : app.get_subcommands({})) add_color_flag(*command);
  refuse_empty_values(app);
  app.set_version_flag("-V,--version", version_text(context.program), "Print the version and exit");
  add_overview(app);
  lay_out_help(app);
}

int carry_out(const std::string& program, const char* scope, int argc, char** argv) {
  keep_only_variants(scope);
  if (const auto exit_code = serve_parent(argc, argv)) return *exit_code;

  CLI::App app("Which sort is fastest on this hardware for this data?", program);
  CommandContext context{program, {argv + 1, argv + argc}};
  context.arguments.insert(context.arguments.begin(), program);
  add_commands(app, context);
  if (argc > 1 && std::string_view(argv[1]) == "complete") {  // the shells' completion asks
    for (const auto& word : completions(app, {argv + 2, argv + argc})) fmt::print("{}\n", word);
    return 0;
  }
  if (argc <= 1) {
    fmt::print("{}", help_text(app, program));
    return 0;
  }
  if (argv[1][0] != '-') (void)command_named(app, argv[1]);
  app.parse_complete_callback(
      [] { (void)usable_isa(); });  // a wrong SORTLAB_ISA, before a command begins
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw complaint(app, error);
  }
  return context.exit_code;
}

}  // namespace

int run_command_line(const std::string& program, const char* scope, int argc, char** argv) try {
  open_standard_files();
  const int exit_code = carry_out(program, scope, argc, argv);
  require_stdout_written();
  return exit_code;
} catch (const BadInput& error) {
  note("{}: {}\n", program, error.what());
  return 2;
} catch (const std::filesystem::filesystem_error& error) {  // of a path that the user named
  note("{}: {}: {}\n", program, error.path1().string(), error.code().message());
  return 2;
} catch (const std::bad_alloc&) {
  note("{}: out of memory: more is needed than this process may have\n", program);
  return 1;
} catch (const std::exception& error) {
  note("{}: {}\n", program, error.what());
  return 1;
}

}  // namespace sortlab

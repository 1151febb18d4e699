// `sortlab new`: the file of a sort that compiles and does not sort yet, for its author to mend.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <regex>

#include "common/choose/embedded.hpp"
#include "common/contract/errors.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"
#include "common/tool/list/catalogue.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string id;
  std::string root = kSourceDir;
};

/// "MyFirst" of "my_first".
std::string camel(const std::string& name) {
  std::string text;
  bool begins_word = true;
  for (const char c : name) {
    if (c != '_') text += begins_word && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    begins_word = c == '_';
  }
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

int new_command(const Options& options, const std::string& program) {
  static const std::regex kId("cpu/[a-z][a-z0-9_]*/([a-z][a-z0-9_]*)");
  std::smatch parts;
  if (!std::regex_match(options.id, parts, kId)) {
    throw BadInput(
        fmt::format("new {}: cpu/LADDER/NAME in lower case, as in cpu/mine/first", options.id));
  }
  const fs::path root(options.root);
  if (!fs::is_directory(root / "cpu")) {
    throw BadInput(fmt::format("{}: no source tree of sortlab (--root)", root.string()));
  }
  const fs::path file = root / (options.id + ".cpp");
  if (fs::exists(file)) throw BadInput(file.string() + " is there already");
  std::string text(embedded_file("common/tool/starter/starter.cpp.in"));
  text = replaced(text, "@STRUCT@", camel(parts[1]));
  text = replaced(text, "@LADDER@", std::string(ladder_of(options.id)));
  text = replaced(text, "@ID@", options.id);
  make_folder_of(file.string());
  write_file(file.string(), text);
  fmt::print(
      R"(wrote {0}
It compiles, and sorts all keys but one. From here:
  ./run build                                   CMake finds the new file by itself
  {1} verify --filter {2}   what is wrong
  {1} run --filter {2},cpu/std_sort/naive --n 1K   once it sorts
)",
      file.string(), program, options.id);
  return 0;
}

}  // namespace

void add_new_command(CLI::App& app, CommandContext& context) {
  const auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("new", "Begin a sort of your own: a file that compiles");
  command->add_option("ID", options->id, "Its id, as in cpu/mine/first")
      ->required()
      ->type_name("ID");
  command->add_option("--root", options->root, "The source tree (default: that of this program)")
      ->type_name("FILE");
  add_examples(*command, context, {"new cpu/mine/first"},
               "The sort has a fault, which `verify` finds. Mend it, then build on it.");
  command->callback(
      [options, &context] { context.exit_code = new_command(*options, context.program); });
}

}  // namespace sortlab

// `sortlab new`: writes the file of a sort that compiles but does not sort yet, for its author to
// complete.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string_view>

#include "common/choose/embedded.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/record/output_file.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/list/catalogue.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string id;
  std::string root = kSourceDir;
};

/// Lower case, digits and underscores, a letter first: good for a folder, a file and a C++ name.
bool is_name(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  return !text.empty() && kLetters.find(text.front()) != kLetters.npos &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

/// "MyFirst" of "my_first".
std::string camel(std::string_view name) {
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

int new_command(NewOptions& options, const CommandContext& context) {
  const auto parts = split(options.id, '/');
  if (parts.size() != 3 || parts[0] != "cpu" || !is_name(parts[1]) || !is_name(parts[2])) {
    throw bad_input("new {}: cpu/LADDER/NAME in lower case, as in cpu/mine/first", options.id);
  }
  const fs::path root(options.root);
  if (!fs::is_directory(root / "cpu")) {
    throw bad_input("{}: not a source tree of sortlab (--root)", root.string());
  }
  const fs::path file = root / (options.id + ".cpp");
  if (fs::exists(file)) throw BadInput(file.string() + " is there already");
  std::string text(embedded_file("tool/starter/starter.cpp.in"));
  text = replaced(text, "@STRUCT@", camel(parts[2]));
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
      file.string(), context.program, options.id);
  return 0;
}

}  // namespace

void add_new_command(CLI::App& app, CommandContext& context) {
  auto [command, options] = add_command(
      app, context, "new", "Start a sort of your own: a file that compiles", new_command);
  add_text(command, "ID", options.id, "ID", "Its id, as in cpu/mine/first")->required();
  add_text(command, "--root", options.root, "FOLDER",
           "The source tree (default: that of this program)");
  add_examples(command, context, {"new cpu/mine/first"},
               "The sort has a fault, which `verify` finds. Mend it, then build on it.");
}

}  // namespace sortlab

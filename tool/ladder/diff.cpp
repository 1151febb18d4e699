#include "tool/ladder/screen.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "common/harness/bad_input.hpp"
#include "common/harness/temporary_folder.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/notes.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/list/source_text.hpp"

extern char** environ;

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// Writes a file into the folder; returns its path.
std::string put(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const auto path = folder.path() / name;
  std::ofstream(path) << text;
  return path.string();
}

std::string rung_named(std::string_view ladder, std::string_view name) {
  std::vector<std::string> names;
  std::vector<std::string> begin_so;
  for (const auto& row : ladder_tree(ladder)) {
    names.push_back(row.id.substr(ladder.size() + 1));
    if (row.id == name || names.back() == name) return row.id;
    if (names.back().starts_with(name)) begin_so.push_back(names.back());
  }
  if (begin_so.size() == 1) return std::string(ladder) + "/" + begin_so.front();
  if (begin_so.empty()) throw unknown_name("rung", name, names);
  throw bad_input("rung '{}': {} begin so", name, fmt::join(begin_so, ", "));
}

SourceText file_of(const std::string& rung) {
  auto source = source_text(rung);
  if (source.path.empty()) throw BadInput(rung + ": its file is not at hand");
  return source;
}

int run_diff(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) {
    note("{}: {}: `sortlab ladder --diff` needs it (package diffutils)\n", words[0],
         std::strerror(error));
    return 1;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? 0 : 1;  // 1: the files differ
}

}  // namespace

int print_diff(std::string_view ladder, std::string_view from, std::string_view to) {
  const auto before = file_of(rung_named(ladder, from));
  const auto after = file_of(rung_named(ladder, to));
  const TemporaryFolder folder;
  const char* const color = paints(STDOUT_FILENO) ? "--color=always" : "--color=never";
  return run_diff({"diff", "-u", color, "--label", before.path, "--label", after.path,
                   put(folder, "before", before.text), put(folder, "after", after.text)});
}

}  // namespace sortlab

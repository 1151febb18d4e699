#include "common/tool/plugin/plugin_flag.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/plugin/registration.hpp"
#include "common/harness/utf8.hpp"
#include "common/harness/worker/worker.hpp"

namespace sortlab {
namespace {

constexpr double kSecondsToDescribe = 10;

/// A separate process asks the plug-in for its description, so that a plug-in that can't even be
/// loaded does not end this process.
void add_plugin(const std::string& given) try {
  // An absolute path, so that it is opened as a file and not searched for as a library.
  const std::string path = std::filesystem::absolute(given).lexically_normal().string();
  if (!is_utf8(path)) {
    throw BadInput("the name is no UTF-8, as CSV and JSON must be: rename or link the file");
  }
  register_plugin(path, WorkerProcess({}, kSecondsToDescribe).describe(path));
} catch (const BadInput& error) {
  throw BadInput(fmt::format("--plugin {}: {}", given, error.what()));
}

}  // namespace

void add_plugin_flag(CLI::App& command) {
  const bool has_arguments =
      !command.get_options([](const CLI::Option* option) { return option->get_positional(); })
           .empty();
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const std::vector<std::string>& given) {
            for (const auto& path : given) add_plugin(path);
          },
          has_arguments ? "A shared library with sorts of your own, plugin/...; repeatable"
                        : "Shared libraries with sorts of your own, plugin/...; repeatable")
      ->take_all()
      ->allow_extra_args(!has_arguments);  // `show --plugin X.so ID`: the ID is no second library
}

}  // namespace sortlab

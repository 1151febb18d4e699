#include "tool/selection_flags.hpp"

#include <fmt/format.h>

#include <climits>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/bad_input.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/json_value.hpp"
#include "common/harness/plugin/description.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/worker/worker.hpp"
#include "tool/flags.hpp"

namespace sortlab {

void add_device_flag(CLI::App& command) {
  const auto choose = [](const std::string& text) {
    choose_device(static_cast<int>(whole_number("--device", text, 0, INT_MAX)));
  };
  command.add_option_function<std::string>("--device", choose, "Which GPU (default 0)")
      ->type_name("N");
}

namespace {

/// "Thread counts: 1,2,4 or all (default all)".
std::string help_of(const Field& field, const SelectionDefaults& defaults) {
  const auto own = defaults.find(field.flag);
  const std::string_view fallback = own != defaults.end() ? own->second : field.fallback;
  return fallback.empty() ? std::string(field.help)
                          : fmt::format("{} (default {})", field.help, fallback);
}

/// For one text, or a list of them.
template <class Texts>
void add_flag(CLI::App& command, const Field& field, Texts& texts, const std::string& help) {
  const std::string flag(field.flag);
  if (!field.sets.empty()) {
    const auto set = [&] { texts = Texts{std::string(field.sets)}; };
    auto* const short_form = command.add_flag_callback(flag, set, help);
    for (const Field& other : config_fields()) {  // that the user may give instead
      if (other.wish != field.wish || other.flag == field.flag) continue;
      if (auto* const option = command.get_option_no_throw(std::string(other.flag))) {
        short_form->excludes(option);
      }
    }
    return;
  }
  auto* option = command.add_option(flag, texts, help)->type_name(std::string(field.takes));
  if (field.splits) option->delimiter(',');
}

void add_flag(CLI::App& command, const Field& field, std::uint64_t& number,
              const std::string& help) {
  add_whole<std::uint64_t>(command, std::string(field.flag), number, 0, UINT64_MAX, help);
}

void add_flag(CLI::App& command, const Field& field, bool& is_wanted, const std::string& help) {
  command.add_flag(std::string(field.flag), is_wanted, help);
}

}  // namespace

void add_flags(CLI::App& command, Selection& selection,
               std::initializer_list<std::string_view> flags, const SelectionDefaults& defaults) {
  for (const std::string_view flag : flags) {
    for (const Field& field : config_fields()) {
      if (field.flag != flag) continue;
      visit_wish(field, [&](auto member) {
        add_flag(command, field, selection.*member, help_of(field, defaults));
      });
    }
  }
}

void add_selection(CLI::App& command, Selection& s, const SelectionDefaults& defaults) {
  add_flags(command, s,
            {"--filter", "--type", "--record", "--dist", "--n", "--threads", "--ranks", "--devices",
             "--segments", "--best", "--order", "--seed", "--launch"},
            defaults);
  add_device_flag(command);
  add_flags(command, s, {"--gpu-mem", "--param"});
  add_plugin_flag(command);
}

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
  throw bad_input("--plugin {}: {}", given, error.what());
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

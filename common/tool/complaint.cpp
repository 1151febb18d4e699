#include "common/tool/complaint.hpp"

#include <fmt/format.h>

#include <string>

#include "common/contract/variant.hpp"
#include "common/tool/help.hpp"

namespace sortlab {
namespace {

/// The option that CLI11's message names after `before`, or null.
const CLI::Option* option_in(const CLI::App& command, std::string message, std::string_view before,
                             std::string_view after) {
  if (!message.starts_with(before)) return nullptr;
  message = message.substr(before.size(), message.find(after, before.size()) - before.size());
  return command.get_option_no_throw(message);
}

std::string values(int count) { return count == 1 ? "a value" : fmt::format("{} values", count); }

/// CLI11's message about a command's options, in our words.
std::string in_our_words(const CLI::App& command, const CLI::ParseError& error) {
  const std::string message = error.what();
  if (const auto* flag = option_in(command, message, "Could not convert: ", " = ")) {
    return flag->get_name() + " takes no value";  // options read their values themselves
  }
  const auto* option = option_in(command, message, "", ": ");
  if (option == nullptr || dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) {
    return message;
  }
  const int given = static_cast<int>(option->count());
  if (given > option->get_items_expected_max()) {
    return fmt::format("{} is given {} times, but takes {}", option->get_name(), given,
                       values(option->get_items_expected_max()));
  }
  return fmt::format("{} needs {}: {}", option->get_name(),
                     values(option->get_items_expected_min()), option->get_type_name());
}

}  // namespace

void refuse_empty_values(CLI::App& app) {
  const auto complain = [](const std::string& text) -> std::string {
    return text.empty() ? "the value is empty" : "";
  };
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(complain);
    }
  }
}

BadInput complaint(const CLI::App& app, const CLI::ParseError& error) {
  if (app.get_subcommands().empty() && !app.remaining().empty()) {
    return unknown_name("argument", app.remaining().front(), flags_of(app));
  }
  for (const CLI::App* command : app.get_subcommands()) {
    for (const auto& extra : command->remaining()) {
      if (extra.starts_with('-')) return unknown_name("argument", extra, flags_of(*command));
      return BadInput(fmt::format("{}: unexpected argument '{}'", command->get_name(), extra));
    }
  }
  if (app.get_subcommands().empty()) return BadInput(error.what());
  const CLI::App& command = *app.get_subcommands().front();
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) {
    return BadInput(in_our_words(command, error));
  }
  return BadInput(fmt::format("{}: {} (usage: {})", command.get_name(), error.what(),
                              usage_of(command, app.get_name())));
}

}  // namespace sortlab

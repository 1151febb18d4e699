#include "tool/help.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "common/contract/variant.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/terminal/window.hpp"

namespace sortlab {
namespace {

constexpr std::string_view kHeading = "Examples:\n";
constexpr std::size_t kUnknownWidth = 100;
constexpr std::size_t kTwoColumnsFrom = 72;  // narrower windows get a flag's text below its name
constexpr std::size_t kWidestName = 26;
constexpr std::size_t kNarrowest = 30;

/// The line behind the heading; "" when the command has no examples.
std::string first_example(const CLI::App& command) {
  const std::string footer = command.get_footer();
  const auto heading = footer.find(kHeading);
  if (heading == std::string::npos) return "";
  const auto begin = heading + kHeading.size();
  return footer.substr(begin, footer.find('\n', begin) - begin);
}

/// A list item: a name, with its description wrapped beside it or below.
std::string entry(const std::string& name, const std::string& text, std::size_t width) {
  if (width < kTwoColumnsFrom) {
    return fmt::format("  {}\n      {}\n", wrapped(name, width - 4, 4, 2),
                       wrapped(text, width, 6, 6));
  }
  constexpr std::size_t kIndent = kWidestName + 4;
  const std::string beside = wrapped(text, width, kIndent, kIndent);
  if (columns_of(name) > kWidestName) {
    return fmt::format("  {}\n{:{}}{}\n", name, "", kIndent, beside);
  }
  return fmt::format("  {:{}}  {}\n", name, kWidestName, beside);
}

std::string name_of(const CLI::Option& option) {
  std::string name = option.get_name(option.get_positional(), true);
  if (const auto comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  const std::string values = option.get_type_size() == 0 ? "" : option.get_type_name();
  return values.empty() ? name : name + ' ' + values;
}

std::string options_of(const CLI::App& command, bool positional, std::size_t width) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() != positional) continue;
    const std::string needed = option->get_required() && !positional ? " (required)" : "";
    text += entry(name_of(*option), option->get_description() + needed, width);
  }
  return text;
}

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

std::string usage_of(const CLI::App& command, const std::string& program) {
  if (command.get_parent() == nullptr) return fmt::format("{} COMMAND [OPTIONS]", program);
  std::string arguments;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    std::string name = option->get_name(true);
    if (option->get_items_expected_max() > 1) name += "...";
    arguments += option->get_required() ? ' ' + name : " [" + name + ']';
  }
  return fmt::format("{} {}{} [OPTIONS]", program, command.get_name(), arguments);
}

namespace {

/// Lines of a paragraph are one, unless they are indented.
std::string joined_lines(std::string text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const bool inside = text[i - 1] != '\n' && text[i + 1] != '\n' && text[i + 1] != ' ';
    if (text[i] == '\n' && inside) text[i] = ' ';
  }
  return text;
}

/// The examples unwrapped, so that they can be copied; the notes wrapped.
std::string footer_for(const std::string& footer, std::size_t width) {
  const auto notes = std::min(footer.find("\n\n"), footer.size());
  std::string text = footer.substr(0, notes) + '\n';
  if (notes == footer.size()) return text;
  return text + '\n' + wrapped(joined_lines(footer.substr(notes + 2)), width) + '\n';
}

class Layout : public CLI::FormatterBase {
 public:
  explicit Layout(std::string program) : program_(std::move(program)) {}

  std::string make_help(const CLI::App* command, std::string, CLI::AppFormatMode) const override {
    return help_text(*command, program_);
  }

 private:
  std::string program_;
};

}  // namespace

void add_examples(CLI::App& command, const CommandContext& context,
                  const std::vector<std::string>& examples, const std::string& notes) {
  std::string text(kHeading);
  for (const auto& example : examples) text += fmt::format("  {} {}\n", context.program, example);
  command.footer(text + (notes.empty() ? "" : "\n" + notes));
}

void add_overview(CLI::App& app) {
  std::string text(kHeading);
  for (const CLI::App* command : app.get_subcommands({})) {
    if (const auto example = first_example(*command); !example.empty()) text += example + "\n";
  }
  app.footer(text + "\nCOMMAND --help shows all flags of a command.");
}

void lay_out_help(CLI::App& app) {
  const auto layout = std::make_shared<Layout>(app.get_name());
  app.formatter(layout);
  for (CLI::App* command : app.get_subcommands({})) command->formatter(layout);
}

std::string help_text(const CLI::App& command, const std::string& program) {
  const std::size_t width =
      std::max(window_width(STDOUT_FILENO).value_or(kUnknownWidth), kNarrowest);
  std::string text = fmt::format("{}\n\nUsage: {}\n", wrapped(command.get_description(), width),
                                 usage_of(command, program));
  const std::string arguments = options_of(command, true, width);
  if (!arguments.empty()) text += "\nArguments:\n" + arguments;
  text += "\nOptions:\n" + options_of(command, false, width);
  std::string commands;
  for (const CLI::App* sub : command.get_subcommands({})) {
    commands += entry(sub->get_name(), sub->get_description(), width);
  }
  if (!commands.empty()) text += "\nCommands:\n" + commands;
  return text + '\n' + footer_for(command.get_footer(), width);
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

const CLI::App& command_named(const CLI::App& app, const std::string& name) {
  return *app.get_subcommands({})[index_of_name("command", name, commands_of(app))];
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
    for (const auto& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

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
      return bad_input("{}: unexpected argument '{}'", command->get_name(), extra);
    }
  }
  if (app.get_subcommands().empty()) return BadInput(error.what());
  const CLI::App& command = *app.get_subcommands().front();
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) {
    return BadInput(in_our_words(command, error));
  }
  return bad_input("{}: {} (usage: {})", command.get_name(), error.what(),
                   usage_of(command, app.get_name()));
}

}  // namespace sortlab

#include "tool/completion/completion.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

#include "common/harness/input/distributions.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/plan/plan.hpp"
#include "tool/help.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/reproduce/exhibits.hpp"

namespace sortlab {
namespace {

using Names = std::vector<std::string>;

Names texts_of(const std::vector<std::string_view>& parts) { return {parts.begin(), parts.end()}; }

bool is_number(const std::string& name) {
  return name == "INT" || name == "UINT" || name == "FLOAT" || name == "N";
}

/// The meaning of a value's name; empty when it has none.
Names values_named(const std::string& given) {
  // Validators of CLI11 add their own words: "TEXT:{a,b}", "TEXT:FILE".
  const std::string name = given.substr(given.rfind(':') + 1);
  Names values;
  if (name == "VARIANT") {
    for (const auto& variant : all_variants()) values.push_back(variant.id);
  } else if (name == "LADDER") {
    for (const auto& [ladder, rungs] : ladders()) {
      if (!ladder.ends_with("/baselines")) values.push_back(ladder);
    }
  } else if (name == "TYPE") {
    values.assign(std::begin(kKeyTypeNames), std::end(kKeyTypeNames));
  } else if (name == "VALUES") {
    values = value_names();
  } else if (name == "DIST") {
    for (const auto& d : all_distributions()) values.emplace_back(d.name);
    values.emplace_back(kRealInputs);
  } else if (name == "MATRIX") {
    values = matrix_names();
  } else if (name == "EXHIBIT") {
    values = {"all"};
    for (const auto& exhibit : reproduce::all_exhibits(reproduce::Scale::full)) {
      values.push_back(exhibit.id);
    }
  } else if (name == "FILE" || name == "FOLDER") {
    values = {kOfferFiles};
  } else if (name.starts_with('{') && name.ends_with('}')) {
    values = texts_of(split(std::string_view(name).substr(1, name.size() - 2), ','));
  } else if (name.find('|') != std::string::npos) {
    values = texts_of(split(name, '|'));
    std::erase_if(values, is_number);  // "N|all"
  }
  return values;
}

Names values_of(const CLI::App& app, const CLI::Option& option) {
  if (option.get_type_name() == "COMMAND") return commands_of(app);
  if (Names values = values_named(option.get_type_name()); !values.empty()) return values;
  if (is_number(option.get_type_name())) return {};
  for (const CLI::App* command : app.get_subcommands({})) {
    const CLI::Option* const like = command->get_option_no_throw(option.get_name());
    if (like == nullptr || is_number(like->get_type_name())) continue;
    if (Names values = values_named(like->get_type_name()); !values.empty()) return values;
  }
  return {kOfferFiles};
}

/// Null for a word that is no option of the command.
const CLI::Option* option_of(const CLI::App& command, const std::string& word) {
  return word.starts_with('-') && word != "--" ? command.get_option_no_throw(word) : nullptr;
}

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

struct Place {
  const CLI::App* command;      // the whole program before its command
  const CLI::Option* value_of;  // the option whose value is to be typed; null: none
  std::size_t positionals = 0;  // of the command, before this place
};

Place walk(const CLI::App& app, const Names& before) {
  Place place{&app, nullptr};
  for (const auto& word : before) {
    if (place.value_of != nullptr) {
      place.value_of = nullptr;
    } else if (word.starts_with('-')) {
      const CLI::Option* const option = option_of(*place.command, word);
      if (takes_value(option)) place.value_of = option;
    } else if (place.command == &app) {
      for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == word) place.command = command;
      }
    } else {
      ++place.positionals;
    }
  }
  return place;
}

/// The positional argument that comes next; null when there is none left.
const CLI::Option* next_positional(const Place& place) {
  std::size_t left = place.positionals;
  for (const CLI::Option* option : place.command->get_options()) {
    if (!option->get_positional()) continue;
    if (left == 0 || option->get_items_expected_max() > 1) return option;
    --left;
  }
  return nullptr;
}

/// The values that begin with `typed`, each with `head` before it. In a list the last item counts.
Names matching(Names names, std::string head, const std::string& typed) {
  if (names == Names{kOfferFiles}) return names;
  const auto item = typed.rfind(',') + 1;
  head += typed.substr(0, item);
  std::erase_if(names, [&](const auto& name) { return !name.starts_with(typed.substr(item)); });
  for (auto& name : names) name.insert(0, head);
  return names;
}

}  // namespace

Names completions(const CLI::App& app, const Names& words) {
  const std::string typed = words.empty() ? "" : words.back();
  const Place place = walk(app, words.empty() ? words : Names(words.begin(), words.end() - 1));
  if (place.value_of != nullptr) return matching(values_of(app, *place.value_of), "", typed);
  if (const auto equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* const option = option_of(*place.command, typed.substr(0, equals));
    if (!takes_value(option)) return {};
    return matching(values_of(app, *option), typed.substr(0, equals + 1), typed.substr(equals + 1));
  }
  if (typed.starts_with('-')) return matching(flags_of(*place.command), "", typed);
  if (place.command == &app) return matching(commands_of(app), "", typed);
  const CLI::Option* const positional = next_positional(place);
  if (positional != nullptr) return matching(values_of(app, *positional), "", typed);
  return matching(flags_of(*place.command), "", typed);
}

}  // namespace sortlab

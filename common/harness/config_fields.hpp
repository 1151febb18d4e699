// The fields of a configuration. One row per field says how users ask for it and how the CSV and JSON name it.
//
// All code that reads or writes configurations loops over these rows: the flags of `run` and `verify` with their help,
// the keys of matrix files, the columns of the CSV, config_ids, requests to workers and `--format json`.
//
// A new field needs a row here, its members in Config and Selection, its values in plan/axes and plan/plan.cpp, a place
// among the flags of a command, and its meaning in docs/data.md. plots/cli_page.py writes docs/cli.md and
// plots/columns.txt.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/harness/config.hpp"
#include "common/harness/plan/plan.hpp"

namespace sortlab {

/// How a configuration's value of a field becomes text and JSON.
struct FieldValue {
  std::string (*text)(const Config&) = nullptr;  // in the CSV
  // In a request to a worker; null where the value follows from other fields. `read` throws nlohmann::json::exception
  // for anything but a value that is possible.
  void (*write)(nlohmann::json&, const Config&) = nullptr;
  void (*read)(const nlohmann::json&, Config&) = nullptr;
};

/// Where a selection keeps what a user asks for: a list, a text, a number or a switch.
using Wish = std::variant<std::monostate, std::vector<std::string> Selection::*,
                          std::string Selection::*, std::uint64_t Selection::*, bool Selection::*>;

/// How a configuration's name has a value: behind `before`, if it is not empty and not `left_out`.
struct InName {
  std::string_view before;
  std::string_view left_out = {};
};

/// A member is empty where a field has no such thing.
struct Field {
  std::string_view name = {};  // of its column in the CSV, and in JSON
  FieldValue value = {};
  bool has_column = true;  // columns stand in the order of the rows
  std::uint64_t most = 0;  // not 0: a whole number up to this one, in JSON too
  bool may_be_empty = false;
  std::optional<InName> in_name = {};
  bool is_later =
      false;  // files that were written before it was added lack its column, and it is empty there

  std::string_view flag = {};
  Wish wish = {};
  std::string_view key = {};    // in matrix files
  std::string_view takes = {};  // kind of the flag's values, as the help names it
  std::string_view sets = {};   // what a flag without a value asks for
  std::string_view help = {};
  std::string_view fallback = {};  // the default, which the help adds
  bool splits = false;             // the flag's values at their commas
};

/// All of them. config_ids depend on the order of those with a column.
std::span<const Field> config_fields();

/// Whether older files of this schema may lack the column. Where it is empty, config_ids are as if it were not there.
bool is_later_column(std::string_view name);

/// Calls f(pointer to member) for the place of a field's wish, if it has one.
template <class F>
void visit_wish(const Field& field, F f) {
  std::visit(
      [&](auto member) {
        if constexpr (!std::is_same_v<decltype(member), std::monostate>) f(member);
      },
      field.wish);
}

}  // namespace sortlab

// --format: text for people, JSON for programs. docs/cli.md describes the JSON. And tables that commands write: a table
// replaces an older one of its kind, and no other file.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/harness/record/summary.hpp"

namespace sortlab {

enum class OutputFormat : std::uint8_t { text, json };

/// Adds --format text|json to a command.
void add_format_flag(CLI::App& command, OutputFormat& format);

/// Prints an object of JSON on stdout. Every such object begins with "command", "schema" (1) and "sortlab"
/// (version and revision); `content` is an object that holds the rest.
void print_json(const std::string& command, nlohmann::ordered_json content);

/// A configuration with its figures: the columns of the CSV (n, threads, seed and value_bytes as numbers, the others as
/// text), then status, samples, median_ns, ...
nlohmann::ordered_json json_of(const SummaryRow& row);

/// Throws BadInput if `path` has the name of a packed file, if it can't be written, or if it holds
/// something other than a table with this first column. Changes nothing.
void require_place_for_table(const std::string& path, const std::string& first_column);

/// A row of a table: the columns, which are the same for all rows, and their texts.
using Cells = std::vector<std::pair<std::string, std::string>>;

/// Writes a table as CSV, unless it has no rows. Throws BadInput when it can't.
void write_table(const std::string& path, const std::vector<Cells>& rows);

}  // namespace sortlab

// Sorts the files of a report by kind, and reads CSVs other than samples.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/harness/record/csv.hpp"

namespace sortlab::report {

struct ResultFiles {
  std::vector<std::string> samples;
  std::vector<std::string> breakdowns;
  std::vector<std::string> exhibits;
  std::vector<std::string> foreign;  // of no known kind
};

/// Sorts the user's files, and all files below the user's folders, by kind. An empty file counts as
/// samples, so that their reader reports it. Throws BadInput for a path that does not exist.
ResultFiles find_result_files(const std::vector<std::string>& paths);

/// The rows of any CSV with a header, by column name. Lines with too few or too many fields, with
/// text in one of the columns `numbers`, and a last line without a line break, are skipped with one
/// line in `warnings` for the file. A file without one of `columns` has no rows, and gets a warning
/// too.
std::vector<CsvRow> read_named_rows(const std::string& path,
                                    const std::vector<std::string>& columns,
                                    const std::vector<std::string>& numbers,
                                    std::vector<std::string>& warnings);

/// A path without its folders.
std::string file_name(const std::string& path);

/// `text` as a number; `otherwise` if it is none.
double number_or(const std::string& text, double otherwise);

}  // namespace sortlab::report

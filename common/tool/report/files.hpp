// Which files a report is made of, and CSVs that are not samples.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sortlab::report {

struct ResultFiles {
  std::vector<std::string> samples;
  std::vector<std::string> breakdowns;
  std::vector<std::string> exhibits;
};

/// Sorts out what the user named: files, and folders with all that is below them. A file that can't
/// be read or says at once that it is none of these is still among the samples, so that its reader
/// complains. Throws BadInput for a path that is not there.
ResultFiles find_result_files(const std::vector<std::string>& paths);

using NamedRow = std::map<std::string, std::string>;

/// The rows of any CSV with a header, by column name. Lines with too few or too many fields, with a word
/// in one of the columns `numbers`, and a last one without its line break, are left out, with one line
/// in `warnings` for the file. A file without one of `columns` has no rows, and gets its line too.
std::vector<NamedRow> read_named_rows(const std::string& path,
                                      const std::vector<std::string>& columns,
                                      const std::vector<std::string>& numbers,
                                      std::vector<std::string>& warnings);

/// A path without its folders.
std::string file_name(const std::string& path);

/// `text` as a number; `otherwise` where it is none.
double number_or(const std::string& text, double otherwise);

}  // namespace sortlab::report

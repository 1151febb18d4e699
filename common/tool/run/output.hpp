// The output of `sortlab run` at its end.
#pragma once

#include <string>

#include "common/harness/run/engine.hpp"
#include "common/tool/output_format.hpp"
#include "common/tool/run/table.hpp"

namespace sortlab {

/// Prints the table, the reasons for skipped configurations, the conclusion and the files. Writes
/// to stderr if the CSV goes to stdout.
void print_result(const RunResult& result, const std::string& csv, TableLayout layout,
                  OutputFormat format);

}  // namespace sortlab

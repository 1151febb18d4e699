// What `sortlab run` prints at its end.
#pragma once

#include <string>

#include "common/harness/run/engine.hpp"
#include "common/tool/output_format.hpp"
#include "common/tool/run/table.hpp"

namespace sortlab {

/// The table, the reasons of what was skipped, the conclusion and the files. To stderr where the CSV goes
/// to stdout.
void print_result(const RunResult& result, const std::string& csv, TableLayout layout,
                  OutputFormat format);

}  // namespace sortlab

// From files to a report.
#pragma once

#include <string>
#include <vector>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// Reads files and folders of results. What can't be used is left out, with one line in `warnings`.
/// Throws BadInput when nothing is left, or a path is not there.
Report gather(const std::vector<std::string>& paths, std::vector<std::string>& warnings);

}  // namespace sortlab::report

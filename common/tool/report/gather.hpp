// Makes a report from files.
#pragma once

#include <string>
#include <vector>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// Reads files and folders of results. Unusable files are skipped with one line each in `warnings`.
/// Throws BadInput when nothing is left, or a path does not exist.
Report gather(const std::vector<std::string>& paths, std::vector<std::string>& warnings);

}  // namespace sortlab::report

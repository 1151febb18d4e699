// Makes a report from files, and the page from it: the report's numbers and the scripts that draw them, in one file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/report/model.hpp"

namespace sortlab::report {

/// Reads files and folders of results. Unusable files are skipped with one line each in `warnings`.
/// Throws BadInput when nothing is left, or a path does not exist.
Report gather(const std::vector<std::string>& paths, std::vector<std::string>& warnings);

/// The data of the page's scripts: compact JSON, every name once, numbers to five digits. `made` is
/// the UTC time at which the page is made. plots/report/data.js unpacks it.
std::string data_json(const Report& report, std::string_view made);

/// The whole HTML document. Throws BadInput if this build contains no plotly.js.
std::string html_page(const Report& report, std::string_view made);

}  // namespace sortlab::report

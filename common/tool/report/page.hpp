// The page: a report's numbers and the scripts that draw them, in one file.
#pragma once

#include <string>
#include <string_view>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// The data of the page's scripts: compact JSON, every text once, numbers to five digits. `made` is
/// the UTC time at which the page is made. plots/report/data.js unpacks it.
std::string data_json(const Report& report, std::string_view made);

/// The whole HTML document. Throws BadInput if this build contains no plotly.js.
std::string html_page(const Report& report, std::string_view made);

}  // namespace sortlab::report

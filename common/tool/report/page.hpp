// The page: a report's numbers, and everything that draws them, in one file.
#pragma once

#include <string>
#include <string_view>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// What the page's scripts read: compact JSON, every name once, numbers to five digits. `made` is
/// the UTC time of making. The layout is that of plots/report/data.js.
std::string data_json(const Report& report, std::string_view made);

/// The whole HTML document. Throws BadInput where this build holds no plotly.js.
std::string html_page(const Report& report, std::string_view made);

}  // namespace sortlab::report

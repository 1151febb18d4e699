// A table of cells of one width, with titles at its left.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sortlab {

struct TitledLine {
  std::string title;
  std::vector<std::string> cells;  // each takes `cell` columns, or codes for colours beside them
};

/// The heads, then the lines. If the window is too narrow, a title is cut, and the cells are printed in parts.
std::string titled_lines(const std::vector<std::string>& heads,
                         const std::vector<TitledLine>& lines, std::size_t cell,
                         std::size_t window);

}  // namespace sortlab

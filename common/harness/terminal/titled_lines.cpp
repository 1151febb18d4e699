#include "common/harness/terminal/titled_lines.hpp"

#include <algorithm>

#include "common/harness/terminal/window.hpp"

namespace sortlab {

std::string titled_lines(const std::vector<std::string>& heads,
                         const std::vector<TitledLine>& lines, std::size_t cell,
                         std::size_t window) {
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, columns_of(line.title));
  width = std::min(width, window - std::min(window, cell + 1));
  const std::size_t columns = std::max<std::size_t>((window - width) / cell, 1);
  std::string text;
  const auto add = [&](const std::string& title, const std::vector<std::string>& cells,
                       std::size_t first) {
    std::string line = cut_to(title, width);
    line.append(width - columns_of(line), ' ');
    for (std::size_t i = first; i < std::min(first + columns, cells.size()); ++i) line += cells[i];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  for (std::size_t first = 0; first < heads.size(); first += columns) {
    add("", heads, first);
    for (const auto& line : lines) add(line.title, line.cells, first);
  }
  return text;
}

}  // namespace sortlab

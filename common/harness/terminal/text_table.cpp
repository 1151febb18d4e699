#include "common/harness/terminal/text_table.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/harness/terminal/window.hpp"

namespace sortlab {

std::string TextTable::text() const {
  constexpr std::size_t kLeast = 12;  // columns that are worth a wrapped text
  const std::size_t columns = rows_.empty() ? 0 : rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (std::size_t r = rows_.size(); r-- > 0;) {
    for (std::size_t c = 0; c < columns; ++c) {
      const bool is_shown = r > 0 || !has_titles_ || widths[c] > 0;
      if (is_shown) widths[c] = std::max(widths[c], columns_of(rows_[r][c]));
    }
  }
  std::string all;
  for (const auto& row : rows_) {
    std::string line(indent_, ' ');
    for (std::size_t c = 0; c < columns; ++c) {
      if (widths[c] == 0) continue;
      if (c > 0) line.append(gap_, ' ');
      const std::size_t pad = widths[c] - columns_of(row[c]), begin = columns_of(line);
      const std::size_t room = room_for_text(STDOUT_FILENO);
      if (c + 1 == columns) {
        line += room < begin + kLeast ? row[c] : wrapped(row[c], room, begin, begin);
      } else {
        line += c < left_ ? row[c] + std::string(pad, ' ') : std::string(pad, ' ') + row[c];
      }
    }
    all += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return all;
}

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

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

}  // namespace sortlab

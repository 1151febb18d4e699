// Tables of texts for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sortlab {

/// Its columns are as wide as their widest text, and those without any text below their title are left out. The first
/// `left` columns and the last one are aligned to the left; the last one is wrapped to the window.
class TextTable {
 public:
  /// Without titles if there are none. `gap` lies between two columns, `indent` before the first.
  explicit TextTable(std::vector<std::string> titles, std::size_t left = 1, std::size_t gap = 2,
                     std::size_t indent = 0)
      : left_(left), gap_(gap), indent_(indent), has_titles_(!titles.empty()) {
    if (has_titles_) rows_.push_back(std::move(titles));
  }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_, gap_, indent_;
  bool has_titles_;
};

// A table of cells of one width, with titles at its left.

struct TitledLine {
  std::string title;
  std::vector<std::string> cells;  // each takes `cell` columns, or codes for colours beside them
};

/// The heads, then the lines. If the window is too narrow, a title is cut, and the cells are printed in parts.
std::string titled_lines(const std::vector<std::string>& heads,
                         const std::vector<TitledLine>& lines, std::size_t cell,
                         std::size_t window);

}  // namespace sortlab

// Finds the known names that are nearest to an unknown one.
#include "common/contract/errors.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

namespace sortlab {
namespace {

constexpr std::size_t kNearest = 3;

/// Levenshtein's distance: the fewest insertions, deletions and replacements from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i of the table: distances from the first i letters of `a` to each prefix of `b`.
  //
  //   diagonal | above      replace = diagonal + (letters differ)
  //   ---------+------      delete  = above + 1
  //   left     | here       insert  = left + 1
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({diagonal + (a[i] != b[j]), above + 1, row[j] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

BadInput unknown_name(std::string_view what, std::string_view given,
                      std::span<const std::string> known) {
  // A name that contains the typed text is nearer than any other, whatever its length.
  using Rank = std::tuple<bool, std::size_t, std::string_view>;
  std::vector<Rank> ranked;
  for (const std::string& name : known) {
    ranked.emplace_back(name.find(given) == std::string::npos, edit_distance(given, name), name);
  }
  const std::size_t shown = std::min(kNearest, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(shown),
                    ranked.end());

  std::string line = "unknown " + std::string(what) + " '" + std::string(given) + "'";
  for (std::size_t i = 0; i < shown; ++i) {
    line += i == 0 ? "; nearest: " : ", ";
    line += std::get<std::string_view>(ranked[i]);
  }
  return BadInput(line);
}

std::size_t index_of_name(std::string_view what, std::string_view given,
                          std::span<const std::string> known) {
  const auto found = std::find(known.begin(), known.end(), given);
  if (found == known.end()) throw unknown_name(what, given, known);
  return static_cast<std::size_t>(found - known.begin());
}

}  // namespace sortlab

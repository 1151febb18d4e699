// Which items a top-k or a partial sort is asked for: the text of --best, and the k of each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/top_k.hpp"

namespace sortlab {

/// k of each row, in what order, and which of equal keys.
struct Wanted {
  bool is_asked = false;  // else a job has no k
  std::size_t least = 0;  // where it is not `most`, each row has a k of its own
  std::size_t most = 0;
  bool is_sorted = false;
  bool is_first = false;

  bool operator==(const Wanted&) const = default;
};

/// "50", "1-50": rows with a k of their own; behind it ":sorted", ":first" or both. Throws BadInput.
Wanted parse_wanted(std::string_view text);
/// The same text, or "".
std::string text_of(const Wanted& wanted);

/// The k of each of `rows` rows; none where they have one k. The same for each call.
std::vector<std::uint32_t> ks_of(const Wanted& wanted, std::size_t rows, std::uint64_t seed);

}  // namespace sortlab

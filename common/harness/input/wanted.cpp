#include "common/harness/input/wanted.hpp"

#include <fmt/format.h>

#include <limits>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/input/random.hpp"
#include "common/harness/plan/counts.hpp"

namespace sortlab {
namespace {

constexpr std::uint64_t kStreamOfKs = 0x70b;  // of random words that make k

[[noreturn]] void refuse(std::string_view text) {
  throw bad_input(
      "--best {}: K, or LEAST-MOST for rows with a K of their own; behind it :sorted (the best "
      "first), "
      ":first (of equal keys those in the first places), or both",
      text);
}

}  // namespace

Wanted parse_wanted(std::string_view text) {
  const auto parts = split(text, ':');
  Wanted wanted{.is_asked = true};
  if (parts.empty()) refuse(text);
  const auto bounds = split(parts[0], '-');
  if (bounds.empty() || bounds.size() > 2) refuse(text);
  const auto least = count_in(bounds.front()), most = count_in(bounds.back());
  if (!least || !most || *least > *most) refuse(text);
  if (*least != *most && *most > std::numeric_limits<std::uint32_t>::max()) refuse(text);
  wanted.least = *least;
  wanted.most = *most;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    bool& said = parts[i] == "sorted" ? wanted.is_sorted : wanted.is_first;
    if (said || (parts[i] != "sorted" && parts[i] != "first")) refuse(text);
    said = true;
  }
  return wanted;
}

std::string text_of(const Wanted& wanted) {
  if (!wanted.is_asked) return "";
  const std::string range = wanted.least == wanted.most ? "" : fmt::format("-{}", wanted.most);
  return fmt::format("{}{}{}{}", wanted.least, range, wanted.is_sorted ? ":sorted" : "",
                     wanted.is_first ? ":first" : "");
}

std::vector<std::uint32_t> ks_of(const Wanted& wanted, std::size_t rows, std::uint64_t seed) {
  std::vector<std::uint32_t> ks;
  if (wanted.least == wanted.most) return ks;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t more =
        scale_below(random_word(seed, kStreamOfKs, r), wanted.most - wanted.least + 1);
    ks.push_back(static_cast<std::uint32_t>(wanted.least + more));
  }
  return ks;
}

}  // namespace sortlab

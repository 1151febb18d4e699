#include "tool/compare/pairing.hpp"

#include <algorithm>
#include <map>

#include "common/harness/config.hpp"

namespace sortlab {
namespace {

using Rows = std::vector<const SummaryRow*>;

/// Columns that pairing ignores: facts about a variant, or parts of its name.
bool is_fact(const std::string& column) {
  return column == "algorithm" || column == "stable" || column == "in_place" ||
         column == "temp_policy";
}

/// The values of all columns that count, without the first `dropped` of the columns that may
/// differ.
std::string key_of(const SummaryRow& row, std::size_t dropped) {
  const auto& loose = columns_that_may_differ();
  const auto end = loose.begin() + static_cast<std::ptrdiff_t>(dropped);
  std::string key;
  for (const auto& [column, value] : Config{}.columns()) {
    if (is_fact(column) || std::find(loose.begin(), end, column) != end) continue;
    key += row.config.at(column) + '\x1f';
  }
  return key;
}

void pair_round(Pairing& pairing, std::size_t dropped) {
  std::map<std::string, std::pair<Rows, Rows>> same;
  for (const auto* row : pairing.only_base) same[key_of(*row, dropped)].first.push_back(row);
  for (const auto* row : pairing.only_new) same[key_of(*row, dropped)].second.push_back(row);
  const bool without_threads = dropped == columns_that_may_differ().size();
  for (const auto& [key, sides] : same) {
    const auto& [base, next] = sides;
    if (base.size() != 1 || next.size() != 1) continue;
    if (without_threads && base[0]->config.at("device") == next[0]->config.at("device")) continue;
    pairing.pairs.emplace_back(base[0], next[0]);
    std::erase(pairing.only_base, base[0]);
    std::erase(pairing.only_new, next[0]);
  }
}

}  // namespace

const std::vector<std::string>& columns_that_may_differ() {
  static const std::vector<std::string> columns = {"lib_version", "isa", "params", "device",
                                                   "threads"};
  return columns;
}

Pairing pair_configurations(const std::vector<SummaryRow>& base,
                            const std::vector<SummaryRow>& next) {
  Pairing pairing;
  for (const auto& row : base) pairing.only_base.push_back(&row);
  for (const auto& row : next) pairing.only_new.push_back(&row);
  for (std::size_t dropped = 0; dropped <= columns_that_may_differ().size(); ++dropped) {
    pair_round(pairing, dropped);
  }
  return pairing;
}

}  // namespace sortlab

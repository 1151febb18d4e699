#include "tool/compare/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/contract/numbers.hpp"

namespace sortlab {
namespace {

constexpr std::array<std::string_view, 6> kChangeNames = {"failed", "slower",    "can't tell",
                                                          "same",   "identical", "faster"};

/// Clocks resolve no less than a nanosecond, and a ratio needs times above 0.
Blocks positive(Blocks blocks) {
  for (auto& block : blocks) {
    for (double& sample : block) sample = std::max(sample, 1.0);
  }
  return blocks;
}

bool is_failure(const SummaryRow& row) { return row.status != "ok" && row.status != "skipped"; }

}  // namespace

std::string_view name_of(Change verdict) { return kChangeNames[static_cast<std::size_t>(verdict)]; }

std::size_t Comparison::count(Change verdict) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const Compared& row) { return row.verdict == verdict; }));
}

Change judge(const Ratio& ratio, double threshold) {
  constexpr double kSignificant = 0.05;
  const double limit = 1 + threshold;
  const auto& [low, high] = ratio.interval;
  if (low > limit && ratio.p < kSignificant) return Change::slower;
  if (high < 1 / limit && ratio.p < kSignificant) return Change::faster;
  const bool near = ratio.value <= limit && ratio.value >= 1 / limit;
  const bool sure = high <= limit * limit && low >= 1 / (limit * limit);
  return near && sure ? Change::same : Change::unclear;
}

Comparison compare(const std::vector<SummaryRow>& base, const std::vector<SummaryRow>& next,
                   double threshold) {
  const Pairing pairing = pair_configurations(base, next);
  Comparison result{{}, pairing.only_base, pairing.only_new, {}};
  for (const auto& [b, n] : pairing.pairs) {
    if (b->status == "ok" && is_failure(*n)) {
      result.rows.push_back({b, n, {}, Change::failed});
    } else if (b->n_kept == 0 || n->n_kept == 0) {
      result.unmeasured.push_back(n);
    } else {
      const Ratio ratio = ratio_of_medians(positive(b->blocks_ns), positive(n->blocks_ns));
      const bool identical = b->blocks_ns == n->blocks_ns;
      result.rows.push_back({b, n, ratio, identical ? Change::identical : judge(ratio, threshold)});
    }
  }
  std::stable_sort(result.rows.begin(), result.rows.end(), [](const auto& x, const auto& y) {
    if (x.verdict != y.verdict) return x.verdict < y.verdict;
    return x.verdict == Change::faster ? x.ratio.value < y.ratio.value
                                       : x.ratio.value > y.ratio.value;
  });
  return result;
}

std::size_t samples_to_tell(const Compared& row, double threshold) {
  // An interval shrinks with the square root of the number of samples.
  const auto& [low, high] = row.ratio.interval;
  const double half_width = std::log(high / low) / 2;
  const double wanted = std::max(2 * std::log1p(threshold) - std::abs(std::log(row.ratio.value)),
                                 std::log1p(threshold));
  const double times = std::max(1.0, half_width / wanted);
  const auto have = static_cast<double>(std::min(row.base->n_kept, row.next->n_kept));
  return clamped<std::size_t>(std::ceil(have * times * times));
}

}  // namespace sortlab

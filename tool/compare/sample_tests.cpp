#include "tool/compare/sample_tests.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sortlab {
namespace {

constexpr std::size_t kExactUpTo = 20;  // samples per side; the approximation is good above 10
constexpr std::size_t kSeriesToTell = 10;
constexpr std::size_t kBlocksToTell = 3;  // t with one degree of freedom is 12.7

std::vector<double> joined(const Blocks& blocks) {
  std::vector<double> all;
  for (const auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
  return all;
}

/// How many of the arrangements of m and n samples have each U: the coefficients of the Gaussian
/// binomial, the product of (1 - x^(n+i)) / (1 - x^i) for i = 1 to m.
std::vector<double> arrangements(std::size_t m, std::size_t n) {
  std::vector<double> count(m * n + 1, 0);
  count[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t u = count.size(); u-- > n + i;) count[u] -= count[u - n - i];
    for (std::size_t u = i; u < count.size(); ++u) count[u] += count[u - i];
  }
  return count;
}

double exact_p(double u, std::size_t m, std::size_t n) {
  const auto count = arrangements(m, n);
  const auto tail = static_cast<std::ptrdiff_t>(std::min(u, static_cast<double>(m * n) - u));
  const double all = std::accumulate(count.begin(), count.end(), 0.0);
  return std::min(1.0, 2 * std::accumulate(count.begin(), count.begin() + tail + 1, 0.0) / all);
}

/// Student's t for 95 %, two-sided.
double student_t(std::size_t degrees) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  if (degrees <= std::size(kTable)) return kTable[degrees - 1];
  const auto d = static_cast<double>(degrees);
  return 1.96 + 2.37 / d + 2.8 / (d * d);  // within 0.003
}

struct Estimate {
  double value;  // logarithms, all three
  double low;
  double high;
};

/// The trimmed mean of the blocks' medians with Tukey and McLaughlin's interval: of five blocks the
/// highest and the lowest count for no more than their neighbours, so that one disturbed block
/// moves neither the ratio nor the interval.
Estimate from_blocks(const Blocks& blocks) {
  std::vector<double> logs;
  for (const auto& block : blocks) logs.push_back(std::log(median(block)));
  std::sort(logs.begin(), logs.end());
  const std::size_t trimmed = logs.size() / 5, kept = logs.size() - 2 * trimmed;
  const double low = logs[trimmed], high = logs[trimmed + kept - 1];
  for (double& x : logs) x = std::clamp(x, low, high);
  const auto from = logs.begin() + static_cast<std::ptrdiff_t>(trimmed);
  const auto n = static_cast<double>(logs.size()), h = static_cast<double>(kept);
  const double center = std::accumulate(from, from + static_cast<std::ptrdiff_t>(kept), 0.0) / h;
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double squares = 0;
  for (const double x : logs) squares += (x - mean) * (x - mean);
  const double half_width = student_t(kept - 1) * std::sqrt(squares / (n - 1) * n) / h;
  return {center, center - half_width, center + half_width};
}

Estimate from_order_statistics(const std::vector<double>& series) {
  auto samples = series;
  std::sort(samples.begin(), samples.end());
  const Interval interval = median_interval(samples, autocorrelation_time(series));
  return {std::log(quantile(samples, 0.5)), std::log(interval.low), std::log(interval.high)};
}

Estimate log_median(const Blocks& blocks) {
  return blocks.size() >= kBlocksToTell ? from_blocks(blocks)
                                        : from_order_statistics(joined(blocks));
}

/// The factor by which autocorrelation changes the variance of U, which is a sum of one part per
/// side.
double design_effect(const std::vector<double>& first, const std::vector<double>& second) {
  const auto m = static_cast<double>(first.size());
  const auto n = static_cast<double>(second.size());
  return (autocorrelation_time(first) * n + autocorrelation_time(second) * m) / (m + n);
}

}  // namespace

double autocorrelation_time(const std::vector<double>& series) {
  const std::size_t n = series.size();
  if (n < kSeriesToTell) return 1;
  const double middle = median(series);
  std::vector<double> above(n);
  std::transform(series.begin(), series.end(), above.begin(),
                 [&](double x) { return x > middle ? 1.0 : 0.0; });
  const double mean = std::accumulate(above.begin(), above.end(), 0.0) / static_cast<double>(n);
  for (double& x : above) x -= mean;
  const auto covariance = [&](std::size_t lag) {
    return std::inner_product(above.begin() + static_cast<std::ptrdiff_t>(lag), above.end(),
                              above.begin(), 0.0);
  };
  const double variance = covariance(0);
  const double by_chance = 2 / std::sqrt(static_cast<double>(n));
  double time = 1;
  for (std::size_t lag = 1; lag < n / 2 && variance > 0; ++lag) {
    const double r = covariance(lag) / variance;
    if (r <= by_chance) break;
    time += 2 * r;
  }
  return time;
}

MannWhitney mann_whitney(const std::vector<double>& first, const std::vector<double>& second,
                         double design_effect) {
  std::vector<std::pair<double, int>> all;
  for (const double x : first) all.emplace_back(x, 0);
  for (const double x : second) all.emplace_back(x, 1);
  std::sort(all.begin(), all.end());
  const auto m = static_cast<double>(first.size());
  const auto n = static_cast<double>(second.size());

  double u = 0, below = 0, ties = 0;  // below: samples of `first` under the current group of equals
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const auto& x) { return x.first > begin->first; });
    const auto equal = static_cast<double>(end - begin);
    const auto of_second =
        static_cast<double>(std::count_if(begin, end, [](const auto& x) { return x.second == 1; }));
    u += of_second * (below + (equal - of_second) / 2);
    below += equal - of_second;
    ties += equal * equal * equal - equal;
    begin = end;
  }
  if (ties == 0 && design_effect <= 1 && std::max(first.size(), second.size()) <= kExactUpTo) {
    return {u, exact_p(u, first.size(), second.size())};
  }
  const double total = m + n;
  const double variance = m * n / 12 * (total + 1 - ties / (total * (total - 1))) * design_effect;
  if (!(variance > 0)) return {u, 1};  // all samples are equal
  const double distance = std::max(0.0, std::abs(u - m * n / 2) - 0.5);
  return {u, std::erfc(distance / std::sqrt(2 * variance))};
}

Ratio ratio_of_medians(const Blocks& base, const Blocks& next) {
  const Estimate from = log_median(base), to = log_median(next);
  const double ratio = to.value - from.value;
  const double down = std::hypot(to.value - to.low, from.high - from.value);
  const double up = std::hypot(to.high - to.value, from.value - from.low);
  const auto first = joined(base), second = joined(next);
  const double p = mann_whitney(first, second, design_effect(first, second)).p;
  return {std::exp(ratio),
          {std::exp(ratio - down), std::exp(ratio + up)},
          p,
          std::exp(from.value),
          std::exp(to.value)};
}

Interval paired_ratio(const Blocks& base, const Blocks& next) {
  const std::size_t rounds = std::min(base.size(), next.size());
  std::vector<double> logs;
  for (std::size_t i = 0; i < rounds; ++i) {
    logs.push_back(std::log(median(next[i]) / median(base[i])));
  }
  const auto n = static_cast<double>(rounds);
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double squares = 0;
  for (const double x : logs) squares += (x - mean) * (x - mean);
  const double half_width = student_t(rounds - 1) * std::sqrt(squares / (n - 1) / n);
  return {std::exp(mean - half_width), std::exp(mean + half_width)};
}

}  // namespace sortlab

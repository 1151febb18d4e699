#include "common/harness/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/choose/json_reading.hpp"

namespace sortlab {

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return quantile(samples, 0.5);
}

Interval median_interval(const std::vector<double>& sorted, double design_effect) {
  // The number of samples below the true median is binomial(n, 1/2): ranks n/2 -+ 0.98 sqrt(n).
  const auto n = static_cast<double>(sorted.size());
  const double half_width = 1.96 * std::sqrt(n * design_effect) / 2;
  const auto low = static_cast<std::ptrdiff_t>(std::floor(n / 2 - half_width)) - 1;
  const auto high = static_cast<std::ptrdiff_t>(std::ceil(n / 2 + half_width));
  const auto last = static_cast<std::ptrdiff_t>(sorted.size()) - 1;
  return {sorted[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(low, 0, last))],
          sorted[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(high, 0, last))]};
}

bool is_bimodal(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  if (n < 8) return false;
  std::vector<double> sum(n + 1, 0), squares(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    sum[i + 1] = sum[i] + sorted[i];
    squares[i + 1] = squares[i] + sorted[i] * sorted[i];
  }
  const auto mean = [&](std::size_t from, std::size_t to) {
    return (sum[to] - sum[from]) / static_cast<double>(to - from);
  };
  const auto scatter = [&](std::size_t from, std::size_t to) {  // sum of squared deviations
    const double m = mean(from, to);
    return std::max(0.0, squares[to] - squares[from] - m * m * static_cast<double>(to - from));
  };
  std::size_t split = 1;
  for (std::size_t s = 2; s < n; ++s) {
    if (scatter(0, s) + scatter(s, n) < scatter(0, split) + scatter(split, n)) split = s;
  }
  const double distance = mean(split, n) - mean(0, split);
  const double deviation =
      std::sqrt((scatter(0, split) + scatter(split, n)) / static_cast<double>(n));
  return std::min(split, n - split) * 5 >= n && distance > 0.05 * quantile(sorted, 0.5) &&
         distance > 4 * deviation;
}

void to_json(nlohmann::json& json, const StopSettings& s) {
  json = {{"min", s.min_samples}, {"slow_min", s.slow_min_samples}, {"slow_s", s.slow_s},
          {"max", s.max_samples}, {"accuracy", s.accuracy},         {"time_s", s.time_s}};
}

void from_json(const nlohmann::json& json, StopSettings& s) {
  s.min_samples = whole_of<int>(json.at("min"));
  s.slow_min_samples = whole_of<int>(json.at("slow_min"));
  json.at("slow_s").get_to(s.slow_s);
  s.max_samples = whole_of<int>(json.at("max"));
  json.at("accuracy").get_to(s.accuracy);
  json.at("time_s").get_to(s.time_s);
}

std::optional<std::string_view> StopRule::after(double sample_ns, double elapsed_s) {
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), sample_ns), sample_ns);
  const auto count = static_cast<int>(sorted_.size());
  const bool is_slow = sample_ns >= settings_.slow_s * 1e9;
  if (count < (is_slow ? settings_.slow_min_samples : settings_.min_samples)) return std::nullopt;
  const Interval interval = median_interval(sorted_);
  const double half_width = (interval.high - interval.low) / 2;
  if (count >= 6 && half_width <= settings_.accuracy * quantile(sorted_, 0.5)) return "accuracy";
  if (elapsed_s >= settings_.time_s) return "time limit";
  if (count >= settings_.max_samples) return "sample limit";
  return std::nullopt;
}

}  // namespace sortlab

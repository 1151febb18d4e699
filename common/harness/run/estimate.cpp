#include "common/harness/run/estimate.hpp"

#include <algorithm>
#include <iterator>

namespace sortlab {
namespace {

/// A variant's time has begun to grow with n if it is this many times the mean of all. Less may be noise.
constexpr double kGrows = 1.5;
/// Noise must not make hours: no estimate is for more than this many times the largest n seen.
constexpr double kFarthest = 64;

}  // namespace

void Estimate::finished(const std::string& variant, std::size_t n, double seconds) {
  if (const auto left = left_.find({variant, n}); left != left_.end() && left->second > 0) {
    --left->second;
  }
  if (seconds <= 0) return;
  for (Seen* const seen : {&all_, &seen_[variant][n]}) {
    seen->seconds += seconds;
    ++seen->count;
  }
}

double Estimate::seconds_at(const BySize& sizes, std::size_t n) const {
  const auto above = sizes.lower_bound(n);
  if (above == sizes.end()) {
    const auto& [largest, seen] = *sizes.rbegin();
    if (seen.mean() < kGrows * all_.mean()) return seen.mean();
    const double factor =
        static_cast<double>(n) / static_cast<double>(std::max<std::size_t>(largest, 1));
    return seen.mean() + (seen.mean() - all_.mean()) * (std::min(factor, kFarthest) - 1);
  }
  if (above->first == n || above == sizes.begin()) return above->second.mean();
  return (above->second.mean() + std::prev(above)->second.mean()) / 2;
}

std::optional<double> Estimate::seconds_left() const {
  if (seen_.empty()) return std::nullopt;
  double all = 0;
  for (const auto& [what, count] : left_) {
    if (count == 0) continue;
    const auto& [variant, n] = what;
    double seconds = 0;
    if (const auto own = seen_.find(variant); own != seen_.end()) {
      seconds = seconds_at(own->second, n);
    } else {
      for (const auto& [other, sizes] : seen_) seconds += seconds_at(sizes, n);
      seconds /= static_cast<double>(seen_.size());
    }
    all += seconds * static_cast<double>(count);
  }
  return all;
}

}  // namespace sortlab

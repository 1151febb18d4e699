#include "common/harness/run/estimate.hpp"

#include <algorithm>
#include <iterator>

namespace sortlab {

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
    const double growing = std::max(0.0, seen.mean() - all_.mean());
    const double factor =
        static_cast<double>(n) / static_cast<double>(std::max<std::size_t>(largest, 1));
    return seen.mean() + growing * (factor - 1);
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

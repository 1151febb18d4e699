// How well the sorts that choose do: what they took, beside the fastest of those they could take.
#pragma once

#include <string>
#include <vector>

#include "common/harness/record/summary.hpp"

namespace sortlab {

/// More than the fastest of ours took, a sort that chooses may not take.
inline constexpr double kMostOverOnGpu = 0.03;
inline constexpr double kMostOverOnCpu = 0.05;

/// A sort that chooses and the fastest of ours at one measured point.
struct ChosenPoint {
  const SummaryRow* chooser;
  const SummaryRow* fastest;

  double over() const { return chooser->median_ns / fastest->median_ns - 1; }
  /// The same where both medians are at the ends of their 95 % intervals that speak for the chooser.
  double over_at_least() const { return chooser->interval.low / fastest->interval.high - 1; }
  bool holds() const;
};

/// Every point at which a `*/auto/*` and one of our other sorts of that side were measured, in the
/// order of `rows`, which must outlive them. To a stable sort of pairs only stable ones are held, and
/// none with a better instruction set than its own.
std::vector<ChosenPoint> chosen_points(const std::vector<SummaryRow>& rows);

/// A line for each point that does not hold, and how many do of each sort that chooses.
std::string readable_points(const std::vector<ChosenPoint>& points);

}  // namespace sortlab

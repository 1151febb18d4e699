// How well the sorts that choose do: their time beside that of the fastest sort that they could
// choose.
#pragma once

#include <string>
#include <vector>

#include "common/harness/record/summary.hpp"

namespace sortlab {

/// A sort that chooses may take at most this share more time than the fastest sort of the suite.
inline constexpr double kMostOverOnGpu = 0.03;
inline constexpr double kMostOverOnCpu = 0.05;

/// A sort that chooses and the fastest sort of the suite at one measured point.
struct ChosenPoint {
  const SummaryRow* chooser;
  const SummaryRow* fastest;

  double over() const { return chooser->median_ns / fastest->median_ns - 1; }
  /// The same, with both medians at the ends of their 95 % intervals that favour the chooser.
  double over_at_least() const { return chooser->interval.low / fastest->interval.high - 1; }
  bool holds() const;
};

/// Every point at which a `*/auto/*` and another sort of the suite on that side were measured, in
/// the order of `rows`, which must outlive them. A stable sort of pairs is compared only with
/// stable ones, and no sort with one of a better instruction set.
std::vector<ChosenPoint> chosen_points(const std::vector<SummaryRow>& rows);

/// One line for each point beyond the limit, and the number of points within it for each sort that
/// chooses.
std::string readable_points(const std::vector<ChosenPoint>& points);

}  // namespace sortlab

// Compares two sets of samples: whether they differ, and by which factor.
//
// Samples of one run are not independent: a clock that falls, a neighbour on the machine or an
// unlucky page moves many in a row. Each series therefore counts as fewer samples than it has, n
// over its autocorrelation time, and a configuration measured in several blocks (rounds) is judged by
// how its blocks differ.
#pragma once

#include <vector>

#include "common/harness/measure/statistics.hpp"

namespace sortlab {

/// The samples of one configuration: blocks in the order they were taken.
using Blocks = std::vector<std::vector<double>>;

/// The autocorrelation time: how many samples in a row count as one. It is 1 + 2 sum(r_k), where
/// r_k is the autocorrelation at lag k of "above the median", up to the first that chance explains
/// (2 / sqrt(n) or less). 1 for fewer than 10 samples, which are too few to tell.
double autocorrelation_time(const std::vector<double>& series);

struct MannWhitney {
  double u = 0;  // pairs of which the second is larger, ties counting a half
  double p = 1;  // two-sided
};

/// Wilcoxon's and Mann and Whitney's test on two sets that are not empty. Exact, by counting
/// the arrangements, for up to 20 samples per side without ties; otherwise by the normal
/// approximation with corrections for ties and for continuity. `design_effect`, 1 or more, is the
/// factor by which autocorrelation widens U's variance; above 1 it needs the approximation.
MannWhitney mann_whitney(const std::vector<double>& first, const std::vector<double>& second,
                         double design_effect = 1);

struct Ratio {
  double value = 1;           // median of the new samples over median of the base's
  Interval interval;          // 95 %
  double p = 1;               // of the Mann-Whitney test
  double base = 0, next = 0;  // the two medians
};

/// Neither side may be empty, and all samples must be positive.
///
/// Each median has its own interval: from order statistics, with n over the autocorrelation time as
/// the number of samples; where there are three blocks or more, from the trimmed mean of the
/// logarithms of their medians, a fifth cut off at either end (Tukey and McLaughlin 1963), which
/// then replaces the median. The two are combined on the log scale by the method of variance
/// estimates recovery (Zou and Donner 2008):
///
///   lower = log r - sqrt((log new - log new_low)^2 + (log base_high - log base)^2)
///
/// and so on upwards. Unlike a bootstrap it needs no seed, costs one sort, and its intervals are
/// not too short for five samples, of which a bootstrap can only redraw the same five.
Ratio ratio_of_medians(const Blocks& base, const Blocks& next);

/// The 95 % interval of the new samples' time over the base's, by the blocks that both have: block i
/// of the one was taken in the same round as block i of the other, so what slows a whole round
/// cancels out. Student's interval of the logarithms of the ratios of the blocks' medians. Both sides
/// need two blocks or more.
Interval paired_ratio(const Blocks& base, const Blocks& next);

}  // namespace sortlab

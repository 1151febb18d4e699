// Order statistics of a configuration's samples, and the rule that stops sampling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace sortlab {

struct Interval {
  double low = 0;
  double high = 0;
};

/// `sorted` ascending and not empty; `share` in [0, 1]; linear between neighbours.
double quantile(const std::vector<double>& sorted, double share);

/// Of samples in any order, at least one.
double median(std::vector<double> samples);

/// The 95 % confidence interval of the median from order statistics (binomial, no assumption about
/// the distribution). With fewer than six samples it is the whole range, whose coverage is then
/// lower. Dependent samples count as fewer: `design_effect` samples count as one.
Interval median_interval(const std::vector<double>& sorted, double design_effect = 1);

/// Whether the samples fall into two clusters: the split in two that leaves the least variance
/// within (Otsu 1979) has both parts at a fifth of the samples or more, their means over 5 % apart,
/// and a distance of more than four pooled standard deviations (Ashman's D; samples spread evenly,
/// cut in the middle, have 3.5). Needs 8 samples.
bool is_bimodal(const std::vector<double>& sorted);

struct StopSettings {
  int min_samples = 5;
  int slow_min_samples = 5;  // in place of it once a sample takes slow_s or longer
  double slow_s = 1e9;
  int max_samples = 1000;
  double accuracy = 0.005;  // half width of the median's 95 % interval, relative to the median
  double time_s = 0.5;      // per configuration, restoring and verifying included
};

void to_json(nlohmann::json& json, const StopSettings& settings);
void from_json(const nlohmann::json& json, StopSettings& settings);

/// Decides after each sample whether a configuration has enough: accurate enough, out of time
/// (though not before min_samples), or max_samples reached.
class StopRule {
 public:
  explicit StopRule(StopSettings settings) : settings_(settings) {}
  /// The reason to stop; empty to continue.
  std::optional<std::string_view> after(double sample_ns, double elapsed_s);

 private:
  StopSettings settings_;
  std::vector<double> sorted_;
};

}  // namespace sortlab

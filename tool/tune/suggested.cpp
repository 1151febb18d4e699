#include "tool/tune/suggested.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "common/contract/numbers.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/output_file.hpp"

namespace sortlab {
namespace {

constexpr double kWidestGap = 16;  // between two sizes measured: farther apart lie cache borders

/// Median times of one sort by n.
class Curve {
 public:
  void add(std::size_t n, double ns) { times_[n] = ns; }
  const std::map<std::size_t, double>& times() const { return times_; }

  std::optional<double> at(std::size_t n) const {
    const auto above = times_.lower_bound(n);
    if (above == times_.end()) return std::nullopt;
    if (above->first == n) return above->second;
    if (above == times_.begin()) return std::nullopt;
    const auto below = std::prev(above);
    const auto low = static_cast<double>(below->first), high = static_cast<double>(above->first);
    if (high > kWidestGap * low) return std::nullopt;
    const double share = std::log(static_cast<double>(n) / low) / std::log(high / low);
    return below->second * std::pow(above->second / below->second, share);
  }

 private:
  std::map<std::size_t, double> times_;
};
using Curves = std::map<std::string, Curve>;  // by id

bool counts(const CsvRow& config) {
  const auto is = [&](const char* column, std::string_view value) {
    return config.at(column) == value;
  };
  return (is("key_type", "u32") || is("key_type", "u64")) && is("dist", "uniform") &&
         is("dist_param", "") && is("order", "asc") && is("host_mem", "none") &&
         is("launch", "stream") && is("cache", "hot") && is("load", "0");
}

std::map<Widths, Curves> curves_of(const std::vector<SummaryRow>& rows,
                                   const std::vector<std::string_view>& ids) {
  std::map<Widths, Curves> all;
  for (const auto& row : rows) {
    const auto& id = row.config.at("variant");
    const bool is_wanted = std::find(ids.begin(), ids.end(), id) != ids.end();
    if (!is_wanted || row.status != "ok" || row.n_kept == 0 || !counts(row.config)) continue;
    const std::size_t n = whole_in(row.config, "n");
    const Widths widths{row.config.at("key_type") == "u32" ? std::size_t{4} : std::size_t{8},
                        whole_in(row.config, "value_bytes"), false};
    all[widths][id].add(n, row.median_ns);
    if (widths.value_bytes == 0 || row.config.at("stable") != "1") continue;
    all[{widths.key_bytes, widths.value_bytes, true}][id].add(n, row.median_ns);
  }
  return all;
}

/// The n between two measured sizes from which on `next` is faster. If not both sorts are known at
/// both sizes: the second size, or right behind the first, if only `now` ends there.
template <class AnyCurve>
std::size_t crossing(const AnyCurve& now, const AnyCurve& next, std::size_t low_n,
                     std::size_t high_n) {
  const auto now_low = now.at(low_n), now_high = now.at(high_n);
  const auto next_low = next.at(low_n), next_high = next.at(high_n);
  if (!now_high && next_low && next_high) return low_n + 1;
  if (!now_low || !now_high || !next_low || !next_high) return high_n;
  const double lead_low = std::log(*next_low / *now_low);  // of `now`
  const double lead_high = std::log(*next_high / *now_high);
  const double share = lead_low <= 0 ? 0 : lead_low / (lead_low - lead_high);
  const auto low = static_cast<double>(low_n), high = static_cast<double>(high_n);
  const auto n = clamped<std::size_t>(std::ceil(low * std::pow(high / low, share)));
  return std::clamp(n, low_n + 1, high_n);
}

/// The measured sizes of all.
std::set<std::size_t> sizes_of(const Curves& curves) {
  std::set<std::size_t> sizes;
  for (const auto& [id, curve] : curves) {
    for (const auto& [n, ns] : curve.times()) sizes.insert(n);
  }
  return sizes;
}

/// The fastest of some sorts at each n.
class Fastest {
 public:
  explicit Fastest(const Curves& curves) : curves_(curves) {}
  std::optional<double> at(std::size_t n) const {
    std::optional<double> least;
    for (const auto& [id, curve] : curves_) {
      const auto ns = curve.at(n);
      if (ns && (!least || *ns < *least)) least = ns;
    }
    return least;
  }

 private:
  const Curves& curves_;
};

Steps steps_from(const Curves& curves) {
  Steps steps;
  std::size_t last_n = 0;
  for (const std::size_t n : sizes_of(curves)) {
    const auto fastest =
        std::min_element(curves.begin(), curves.end(), [n](const auto& a, const auto& b) {
          const auto at_a = a.second.at(n), at_b = b.second.at(n);
          return at_a && (!at_b || *at_a < *at_b);
        });
    const double best_ns = *fastest->second.at(n);
    if (steps.empty()) {
      steps.push_back({0, fastest->first});
    } else {
      const Curve& now = curves.at(steps.back().id);
      const auto now_ns = now.at(n);
      if (!now_ns || *now_ns > best_ns * (1 + kWorthASwitch)) {
        steps.push_back({crossing(now, fastest->second, last_n, n), fastest->first});
      }
    }
    last_n = n;
  }
  return steps;
}

/// The measured n from which on `many` are faster than `alone`, or behind all sizes if they never are.
std::size_t start_of(const Curves& many, const Curves& alone) {
  const Fastest many_ns(many), alone_ns(alone);
  const std::size_t least = *sizes_of(many).begin();
  std::size_t start = least > kFewItems ? least : 0, last_n = 0;
  bool is_ahead = true;
  for (const std::size_t n : sizes_of(many)) {
    const auto of_many = many_ns.at(n), of_one = alone_ns.at(n);
    if (!of_many || !of_one) continue;
    const bool was_ahead = is_ahead;
    is_ahead = *of_many <= *of_one;
    if (is_ahead && !was_ahead) start = crossing(alone_ns, many_ns, last_n, n);
    last_n = n;
  }
  return is_ahead ? start : last_n + 1;
}

}  // namespace

Choices choices_from(const std::vector<SummaryRow>& rows,
                     const std::vector<std::string_view>& ids) {
  Choices choices;
  for (const auto& [widths, curves] : curves_of(rows, ids)) choices[widths] = steps_from(curves);
  return choices;
}

Choices choices_from(const std::vector<SummaryRow>& rows, const std::vector<std::string_view>& ids,
                     const std::vector<SummaryRow>& alone) {
  Choices choices = choices_from(rows, ids);
  const auto many = curves_of(rows, ids), one = curves_of(alone, ids);
  for (auto& [widths, steps] : choices) {
    if (!one.contains(widths)) continue;
    const std::size_t start = start_of(many.at(widths), one.at(widths));
    while (steps.size() > 1 && steps[1].from_n <= start) steps.erase(steps.begin());
    steps.front().from_n = std::max(steps.front().from_n, start);
  }
  return choices;
}

void require_place_for_tuning(const std::string& path) {
  make_folder_of(path);
  require_writable(path);
  require_tune_file(path);
}

}  // namespace sortlab

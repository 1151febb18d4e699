#include "tool/reproduce/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/harness/measure/statistics.hpp"
#include "common/harness/record/csv.hpp"

namespace sortlab::reproduce {
namespace {

constexpr std::size_t kRoundsToTell = 3;
constexpr std::string_view kNotMeasured = "not measured in this folder yet";
constexpr const char* kNoBandwidth = "this GPU's copy bandwidth is not measured";

Figure skipped(std::string reason) {
  Figure figure;
  figure.status = "skipped";
  figure.reason = std::move(reason);
  return figure;
}

/// Percents that `ns` are of a time.
Figure share_of(double ns, Figure time) {
  if (!time.value) return time;
  time.value = 100 * ns / *time.value;
  time.range = {100 * ns / time.range.high, 100 * ns / time.range.low};
  return time;
}

/// The sum of some columns; empty if one of them is empty.
std::optional<double> sum_of(const std::map<std::string, std::string>& row,
                             std::initializer_list<const char*> columns) {
  double sum = 0;
  for (const char* const column : columns) {
    const std::string& text = row.at(column);
    if (text.empty()) return std::nullopt;
    sum += static_cast<double>(whole_in(row, column));
  }
  return sum;
}

std::optional<double> time_in(const std::map<std::string, std::string>& row, Quantity time) {
  switch (time) {
    case Quantity::total_and_alloc:
      return sum_of(row, {"total_ns", "alloc_ns"});
    case Quantity::kernel: {
      const auto sort = sum_of(row, {"kernel_ns"});
      return sort ? std::optional(*sort - sum_of(row, {"host_ns"}).value_or(0)) : std::nullopt;
    }
    case Quantity::host:
      return sum_of(row, {"host_ns"});
    case Quantity::copies:
      return sum_of(row, {"h2d_ns", "d2h_ns"});
    case Quantity::h2d:
      return sum_of(row, {"h2d_ns"});
    default:
      return sum_of(row, {"total_ns"});
  }
}

bool is_activity(std::string_view name, const std::string& wanted) {
  return name == wanted || name.ends_with("::" + wanted);
}

/// Of the keys between host and device, which the samples' copies are.
bool is_transfer(std::string_view name) {
  return name == "copy to the device" || name == "copy to the host";
}

bool is_kernel(std::string_view name) {
  return name != "fill" && !name.starts_with("copy ") && name != "other copy";
}

Interval quotient_of(const Interval& dividend, const Interval& divisor) {
  return {dividend.low / divisor.high, dividend.high / divisor.low};
}

Interval scaled(const Interval& interval, double factor) {
  return {interval.low * factor, interval.high * factor};
}

bool is_same_input(const Subject& one, const Subject& other) {
  return one.n == other.n && one.type == other.type && one.dist == other.dist;
}

/// Whether two sorts of one input were measured in the same rounds, which are enough to tell how far
/// these differ.
bool were_in_turns(const Figure& one, const Figure& other) {
  return one.blocks.size() >= kRoundsToTell && one.blocks.size() == other.blocks.size() &&
         !one.run_id.empty() && one.run_id == other.run_id;
}

/// A value by the profile has a range that reaches to the one by the timed samples.
void set_reaching(Figure& figure, double value, const Interval& range) {
  figure.value = value;
  figure.range = {std::min(value, range.low), std::max(value, range.high)};
}

void set_exact(Figure& figure, double value) {
  figure.value = value;
  figure.range = {value, value};
}

/// A figure in ns, converted to the cell's unit if that is a unit of time.
Figure in_unit_of(Figure figure, const Cell& cell) {
  if (!figure.value || !is_unit_of_time(cell.unit)) return figure;
  const auto convert = [&](double ns) { return in_unit(ns, cell.subject.n, cell.unit); };
  figure.value = convert(*figure.value);
  const auto [low, high] = std::minmax({convert(figure.range.low), convert(figure.range.high)});
  figure.range = {low, high};
  return figure;
}

}  // namespace

Planning plan_of(const Subject& subject) {
  if (find_variant(subject.variant) == nullptr) {
    const bool on_gpu = subject.variant.starts_with("gpu/");
    return {std::nullopt, on_gpu ? "this program was built without GPU sorts"
                                 : "this program has no " + subject.variant};
  }
  Selection selection;
  selection.filters = {subject.variant};
  selection.types = {subject.type};
  selection.dists = {subject.dist};
  selection.sizes = {std::to_string(subject.n)};
  selection.host_mem = {subject.host_mem};
  if (!subject.params.empty()) selection.params = {subject.params};
  return {plan(selection).front(), ""};
}

bool Results::are_of(std::string_view gpu) const {
  return std::any_of(samples_.begin(), samples_.end(),
                     [&](const auto& one) { return one.second.front().at("device") == gpu; });
}

bool Results::have_gpu_sorts() const {
  return std::any_of(samples_.begin(), samples_.end(), [](const auto& one) {
    return one.second.front().at("variant").starts_with("gpu/");
  });
}

Results::Results(CsvTable samples, ActivityTable activities, const nlohmann::json& runs,
                 bool any_machine)
    : activities_(std::move(activities)), any_machine_(any_machine) {
  for (auto& row : samples.rows) {
    if (any_machine) last_of_variant_[row.at("variant")] = row;
    samples_[row.at("config_id")].push_back(std::move(row));
  }
  for (const auto& [run_id, run] : runs.items()) {
    const std::string revision = run.value("/build/git_revision"_json_pointer, "");
    const bool dirty = run.value("/build/git_dirty"_json_pointer, false);
    revisions_[run_id] = revision + (dirty ? "-dirty" : "");
    copy_bytes_per_s_ =
        run.value("/gpu_roofs/device_copy_bytes_per_s"_json_pointer, copy_bytes_per_s_);
  }
  std::set<std::string> distinct;
  for (const auto& [run_id, revision] : revisions_) distinct.insert(revision);
  all_revisions_ = fmt::format("{}", fmt::join(distinct, " or "));
}

std::string Results::revision_of(const std::string& run_id) const {
  const auto found = revisions_.find(run_id);
  return found == revisions_.end() ? "" : found->second;
}

/// The configuration as its machine would have it.
Planning Results::planning_of(const Subject& subject) const {
  Planning planning = plan_of(subject);
  if (!any_machine_ || !planning.planned) return planning;
  planning.planned->skip_reason = kNotMeasured;
  const auto row = last_of_variant_.find(subject.variant);
  if (row == last_of_variant_.end()) return planning;
  Config& config = planning.planned->config;
  config.device = row->second.at("device");
  config.isa = row->second.at("isa");
  config.lib_version = row->second.at("lib_version");
  config.threads = static_cast<int>(whole_in(row->second, "threads"));
  return planning;
}

template <class Measure>
Figure Results::median_of(const Subject& subject, Measure measure) const {
  const auto [planned, reason] = planning_of(subject);
  if (!planned) return skipped(reason);
  const auto rows = samples_.find(planned->config.id());
  if (rows == samples_.end()) {
    return skipped(planned->skip_reason.empty() ? std::string(kNotMeasured) : planned->skip_reason);
  }
  const Row& last = rows->second.back();
  Figure figure;
  figure.device = planned->config.device;
  figure.revision = revision_of(last.at("run_id"));
  if (last.at("run_id") == rows->second.front().at("run_id")) figure.run_id = last.at("run_id");
  std::vector<double> values;
  bool in_a_round = false;
  for (const Row& row : rows->second) {
    if (row.at("status") != "ok") continue;
    const auto value = measure(row);
    if (!value) continue;
    values.push_back(*value);
    if (!in_a_round) figure.blocks.emplace_back();
    figure.blocks.back().push_back(*value);
    in_a_round = row.at("reason").empty();
  }
  if (last.at("status") != "ok") {
    figure.status = last.at("status");
    figure.reason = last.at("reason");
  } else if (values.empty()) {
    figure.status = "skipped";
    figure.reason = "this phase has no clock of its own";
  } else {
    std::sort(values.begin(), values.end());
    figure.value = quantile(values, 0.5);
    figure.range = median_interval(values);
    if (values.size() == 1) figure.reason = "one sample";
  }
  return figure;
}

Figure Results::time_of(const Subject& subject) const {
  return median_of(subject, [&](const Row& row) { return time_in(row, subject.time); });
}

Figure Results::copy_share_of(const Subject& subject) const {
  return median_of(subject, [](const Row& row) -> std::optional<double> {
    const auto copies = time_in(row, Quantity::copies);
    if (!copies) return std::nullopt;
    return 100 * *copies / *time_in(row, Quantity::total);
  });
}

Figure Results::speedup_of(const Subject& subject, const Subject& against) const {
  Figure own = time_of(subject);
  const Figure other = time_of(against);
  if (!own.value) return own;
  if (!other.value) return other;
  if (own.reason.empty()) own.reason = other.reason;
  const bool in_turns = is_same_input(subject, against) && were_in_turns(own, other);
  set_reaching(
      own, *other.value / *own.value,
      in_turns ? paired_ratio(own.blocks, other.blocks) : quotient_of(other.range, own.range));
  if (other.device != own.device) own.device += " / " + other.device;
  return own;
}

/// subjects_of() alternates the subjects of both sorts, from the smallest size on.
Figure Results::crossover_of(const Cell& cell) const {
  const auto subjects = subjects_of(cell);
  double last_won = 0;
  for (std::size_t i = 0; i < subjects.size(); i += 2) {
    const std::size_t n = subjects[i].n;
    Figure figure = speedup_of(subjects[i], subjects[i + 1]);
    if (!figure.value) return figure;
    const bool wins = *figure.value > 1;
    if (wins) last_won = static_cast<double>(n);
    if (wins && n != cell.sizes.back()) continue;
    if (wins) figure.reason = fmt::format("still faster at n = {}, the largest measured", n);
    if (last_won == 0) figure.reason = fmt::format("slower already at n = {}", n);
    set_exact(figure, last_won);
    return figure;
  }
  return skipped("no sizes");
}

Figure Results::speedup_ratio_of(const Cell& cell) const {
  Figure own = speedup_of(cell.subject, *cell.against);
  const Figure other = speedup_of(cell.beside[0], cell.beside[1]);
  if (!own.value) return own;
  if (!other.value) return other;
  own.value = *own.value / *other.value;
  own.range = quotient_of(own.range, other.range);
  if (own.reason.empty()) own.reason = other.reason;
  return own;
}

Interval Results::timed_over(double profiled_ns, const Subject& subject, Quantity time) const {
  Subject timed = subject;
  timed.time = time;
  const Figure figure = time_of(timed);
  if (!figure.value || profiled_ns == 0) return {1, 1};
  return scaled(figure.range, 1 / profiled_ns);
}

Results::Part Results::part_of(const Subject& subject, const std::string& activity) const {
  const auto [planned, reason] = planning_of(subject);
  if (!planned) return {skipped(reason), "", {}, {}, {}};
  Part part;
  part.config_id = planned->config.id();
  const auto rows = activities_.find(part.config_id);
  if (rows == activities_.end()) {
    const std::string why =
        planned->skip_reason.empty() ? recording_unavailable() : planned->skip_reason;
    part.figure = skipped(why.empty() ? std::string(kNotMeasured) : why);
    return part;
  }
  double copies_ns = 0, others_ns = 0;
  for (const ActivityRow& row : rows->second) {
    (is_transfer(row.name) ? copies_ns : others_ns) += row.ns;
    if (activity.empty() ? !is_kernel(row.name) : !is_activity(row.name, activity)) continue;
    part.sum.launches += row.launches;
    part.sum.ns += row.ns;
    part.sum.share += row.share;
  }
  const Interval kernels = timed_over(others_ns, subject, Quantity::kernel);
  const Interval copies = timed_over(copies_ns, subject, Quantity::copies);
  const Interval weight = quotient_of(copies, kernels);  // of the copies in the timed samples
  const bool is_copy = is_transfer(activity);
  const auto share_at = [&](double copies_weigh) {
    return part.sum.ns * (is_copy ? copies_weigh : 1) / (others_ns + copies_ns * copies_weigh);
  };
  const auto [low, high] = std::minmax({share_at(weight.low), share_at(weight.high)});
  part.timed_share = {low, high};
  part.timed_ns = scaled(is_copy ? copies : kernels, part.sum.ns);
  part.figure.device = planned->config.device;
  const std::string& revision = rows->second.front().revision;
  part.figure.revision = revision.empty() ? all_revisions_ : revision;
  set_exact(part.figure, 0);
  return part;
}

Figure Results::activity_of(const Cell& cell) const {
  const Part own = part_of(cell.subject, cell.activity);
  Figure figure = own.figure;
  if (!figure.value) return figure;
  if (cell.quantity == Quantity::launches) set_exact(figure, own.sum.launches);
  if (cell.quantity == Quantity::share) {
    set_reaching(figure, 100 * own.sum.share, scaled(own.timed_share, 100));
  }
  if (cell.quantity == Quantity::activity_time) set_exact(figure, own.sum.ns);
  if (!cell.against) return figure;
  const Part other = part_of(*cell.against, cell.against_activity);
  if (!other.figure.value) return other.figure;
  if (own.sum.ns == 0 || other.sum.ns == 0) return skipped("the profile has no such activity");
  const bool of_shares = cell.quantity == Quantity::share_ratio;
  const double value = of_shares ? own.sum.share / other.sum.share : other.sum.ns / own.sum.ns;
  if (own.config_id == other.config_id) {  // parts of one sort, which the profiler slows alike
    set_exact(figure, value);
  } else {
    set_reaching(figure, value,
                 of_shares ? quotient_of(own.timed_share, other.timed_share)
                           : quotient_of(other.timed_ns, own.timed_ns));
  }
  return figure;
}

Figure Results::kernel_of(const Cell& cell) const {
  Subject subject = cell.subject;
  subject.time = Quantity::kernel;
  return time_of(subject);
}

Figure Results::idle_share_of(const Cell& cell) const {
  const Part kernels = part_of(cell.subject, "");
  if (!kernels.figure.value) return kernels.figure;
  Figure figure = share_of(kernels.sum.ns, kernel_of(cell));
  if (!figure.value) return figure;
  const auto rest = [](double percents) { return std::max(0.0, 100 - percents); };
  figure.value = rest(*figure.value);
  figure.range = {rest(figure.range.high), rest(figure.range.low)};
  return figure;
}

Figure Results::total_from_host_of(const Cell& cell) const {
  const Part part = part_of(cell.subject, cell.activity);
  if (!part.figure.value) return part.figure;
  return median_of(cell.subject, [kernels = part.sum.ns](const Row& row) -> std::optional<double> {
    const auto total = time_in(row, Quantity::total), sort = time_in(row, Quantity::kernel);
    return total && sort ? std::optional(*total - *sort + kernels) : std::nullopt;
  });
}

Figure Results::bandwidth_share_of(const Cell& cell) const {
  const Figure kernel = kernel_of(cell);
  if (!kernel.value) return kernel;
  if (copy_bytes_per_s_ == 0) return skipped(kNoBandwidth);
  return share_of(
      cell.bytes_per_key * static_cast<double>(cell.subject.n) / copy_bytes_per_s_ * 1e9, kernel);
}

Figure Results::kernel_at_bandwidth_of(const Cell& cell) const {
  Figure figure = kernel_of(cell);
  if (!figure.value) return figure;
  if (copy_bytes_per_s_ == 0) return skipped(kNoBandwidth);
  const double factor = copy_bytes_per_s_ / (cell.bandwidth_gb_s * 1e9);
  *figure.value *= factor;
  figure.range = scaled(figure.range, factor);
  return figure;
}

Figure Results::figure_of(const Cell& cell) const {
  Subject subject = cell.subject;
  switch (cell.quantity) {
    case Quantity::copy_share:
      return copy_share_of(cell.subject);
    case Quantity::launches:
    case Quantity::share:
    case Quantity::share_ratio:
    case Quantity::activity_speedup:
      return activity_of(cell);
    case Quantity::activity_time:
      return in_unit_of(activity_of(cell), cell);
    case Quantity::total_from_host:
      return in_unit_of(total_from_host_of(cell), cell);
    case Quantity::idle_share:
      return idle_share_of(cell);
    case Quantity::bandwidth_share:
      return bandwidth_share_of(cell);
    case Quantity::speedup_ratio:
      return speedup_ratio_of(cell);
    case Quantity::speedup:
      return speedup_of(cell.subject, *cell.against);
    case Quantity::crossover:
      return crossover_of(cell);
    case Quantity::kernel_at_bandwidth:
      return in_unit_of(kernel_at_bandwidth_of(cell), cell);
    default:
      subject.time = cell.quantity;
      return in_unit_of(time_of(subject), cell);
  }
}

}  // namespace sortlab::reproduce

// The measurements for the exhibits (the samples' CSV, the breakdown's CSV and the runs'
// descriptions of one folder), and the figure of one cell from them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/breakdown/breakdown.hpp"
#include "common/harness/measure/statistics.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/record/record.hpp"
#include "tool/compare/sample_tests.hpp"
#include "tool/reproduce/exhibits.hpp"

namespace sortlab::reproduce {

/// The configuration of a subject, or why this program has none.
struct Planning {
  std::optional<Planned> planned;
  std::string reason;
};
Planning plan_of(const Subject& subject);

/// A measured figure, or why there is none.
struct Figure {
  std::optional<double> value;
  /// Of the median, 95 % from six samples on (see median_interval()); for a quotient, of its parts' worst
  /// cases, or of what two sorts took in the same rounds (see paired_ratio()); for a part of a profiled
  /// sort, from the profile to the timed samples of the same sort.
  Interval range;
  std::string status = "ok";  // or skipped, failed, timeout, oom
  std::string reason;
  std::string device;    // that sorted
  std::string revision;  // of the program that measured
  std::string run_id;    // empty if the samples are of several runs
  Blocks blocks;         // the samples, those of a round together
};

class Results {
 public:
  /// `runs`: a run's description by run_id, as FILE.run.json holds them. `any_machine`: not only this
  /// machine's measurements count, but those of the machine that measured a sort last.
  Results(CsvTable samples, ActivityTable activities, const nlohmann::json& runs,
          bool any_machine = false);

  /// The cell's figure, in its unit.
  Figure figure_of(const Cell& cell) const;

  /// Whether any of the samples were taken on this GPU.
  bool are_of(std::string_view gpu) const;
  /// Whether any sample is of a sort on a GPU.
  bool have_gpu_sorts() const;

 private:
  using Row = std::map<std::string, std::string>;

  Planning planning_of(const Subject& subject) const;
  /// Median over a configuration's samples of what `measure` makes of each, in ns or %.
  template <class Measure>
  Figure median_of(const Subject& subject, Measure measure) const;
  Figure time_of(const Subject& subject) const;
  Figure copy_share_of(const Subject& subject) const;
  Figure speedup_of(const Subject& subject, const Subject& against) const;
  Figure speedup_ratio_of(const Cell& cell) const;
  Figure crossover_of(const Cell& cell) const;
  /// An activity, or all kernels, in one sort: launches, time (ns) and share by the profile, and time and
  /// share in the timed samples of the same sort, whose kernels and copies may take longer or shorter.
  struct Part {
    Figure figure;  // without a value if there is none
    std::string config_id;
    ActivityRow sum;
    Interval timed_ns;
    Interval timed_share;
  };
  Part part_of(const Subject& subject, const std::string& activity) const;
  /// The timed samples' kernels or copies over `profiled_ns`; 1 where there are none.
  Interval timed_over(double profiled_ns, const Subject& subject, Quantity time) const;
  Figure activity_of(const Cell& cell) const;
  /// The kernels' time of the cell's subject.
  Figure kernel_of(const Cell& cell) const;
  Figure idle_share_of(const Cell& cell) const;
  Figure total_from_host_of(const Cell& cell) const;
  Figure bandwidth_share_of(const Cell& cell) const;
  Figure kernel_at_bandwidth_of(const Cell& cell) const;
  std::string revision_of(const std::string& run_id) const;

  std::map<std::string, std::vector<Row>> samples_;  // by config_id
  ActivityTable activities_;
  bool any_machine_;
  std::map<std::string, Row> last_of_variant_;    // if any_machine_
  std::map<std::string, std::string> revisions_;  // by run_id, which begins with the time
  std::string all_revisions_;    // "a or b", for a breakdown that does not say its own
  double copy_bytes_per_s_ = 0;  // on the device; 0: not measured
};

}  // namespace sortlab::reproduce

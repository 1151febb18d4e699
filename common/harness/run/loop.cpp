#include "common/harness/run/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/progress.hpp"
#include "common/harness/run/slow_sorts.hpp"
#include "common/harness/worker/busy_cpus.hpp"
#include "common/harness/worker/worker.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

class Loop {
 public:
  Loop(Measurer& measurer, Recorder& recorder, double slow_s)
      : measurer_(measurer), recorder_(recorder), slow_sorts_(slow_s, recorder.table()) {}

  std::size_t run(const std::vector<Planned>& planned) {
    for (const auto& p : planned) progress_.expect(p.config.variant, p.config.n);
    measurer_.while_waiting([this] { progress_.tick(); });
    for (const auto& p : planned) {
      if (interrupted()) break;
      result_.clear();
      if (!given_up_.contains(p.config.id())) measure(p);
      progress_.finished(p.config.variant, p.config.n, result_);
    }
    measurer_.while_waiting({});
    progress_.end();
    return failures_;
  }

 private:
  void measure(const Planned& planned) {
    const Config& config = planned.config;
    progress_.begin(config.benchmark_name());
    bool failed_sample = false;  // it has a row of its own, with the reason
    const std::string skip_reason = reason_to_skip(planned);
    const Outcome outcome = skip_reason.empty() ? record_samples(config, failed_sample)
                                                : Outcome{Status::skipped, skip_reason};
    if (interrupted() || outcome.status == Status::ok) return;
    given_up_.insert(config.id());
    if (!failed_sample) recorder_.add_outcome(config, outcome);
    if (outcome.status == Status::failed || outcome.status == Status::timeout) {
      ++failures_;
      progress_.end();
      note("{}: {}: {}\n", config.benchmark_name(), name_of(outcome.status), outcome.reason);
    }
  }

  /// A configuration that has samples of an earlier round is not too slow.
  std::string reason_to_skip(const Planned& planned) {
    if (!planned.skip_reason.empty() || recorder_.samples(planned.config.id()) > 0) {
      return planned.skip_reason;
    }
    return slow_sorts_.reason(planned.config);
  }

  /// Makes the configuration's load. Reads the number of free CPUs again when the load changes, and
  /// from time to time, because other programs start and end.
  void settle(const Load& load) {
    constexpr double kKept_s = 10;
    const bool changed = busy_.make(load);
    if (!changed && since_look_ && since_look_->elapsed_s() < kKept_s) return;
    free_cpus_ = free_cpus(cpu_share());
    since_look_.emplace();
  }

  Outcome record_samples(const Config& config, bool& failed_sample) {
    settle(config.load);
    const std::string id =
        config.id();  // the numbers go on from round to round, and from run to run
    int& next_rep = next_rep_.try_emplace(id, recorder_.samples(id)).first->second;
    std::int64_t least_ns = INT64_MAX;
    const Outcome outcome = measurer_.measure(config, [&](Sample sample) {
      least_ns = std::min(least_ns, std::max<std::int64_t>(sample.total_ns, 1));
      sample.rep = next_rep++;
      sample.free_cpus = free_cpus_;
      recorder_.add_sample(config, sample);
      failed_sample |= sample.failed;
    });
    if (least_ns < INT64_MAX) {
      const double per_ns = static_cast<double>(config.n) / static_cast<double>(least_ns);
      result_ = config.key_type == KeyType::record
                    ? fmt::format("{} {:.3g} GB/s", config.variant,
                                  per_ns * static_cast<double>(config.record.bytes))
                    : fmt::format("{} {:.3g} Mkeys/s", config.variant, per_ns * 1e3);
    }
    return outcome;
  }

  Measurer& measurer_;
  Recorder& recorder_;
  SlowSorts slow_sorts_;
  Progress progress_;
  std::string result_;  // of the current configuration, for the progress line
  BusyCpus busy_;
  std::optional<double> free_cpus_;
  std::optional<WorkingTime> since_look_;
  std::map<std::string, int> next_rep_;
  std::set<std::string> given_up_;  // not measured again in a later round
  std::size_t failures_ = 0;
};

}  // namespace

std::size_t measure_all(const std::vector<Planned>& planned, Measurer& measurer, Recorder& recorder,
                        double slow_s) {
  return Loop(measurer, recorder, slow_s).run(planned);
}

std::vector<Planned> missing_from(const Recorder& recorder, const std::vector<Planned>& planned) {
  std::vector<Planned> missing;
  std::map<std::string, int> rounds;
  for (const auto& p : planned) {
    const std::string id = p.config.id();
    if (!recorder.completed(id, ++rounds[id])) missing.push_back(p);
  }
  return missing;
}

Measured measure_all(const std::vector<Config>& configs, const StopSettings& stop, double timeout_s,
                     const std::string& csv) {
  std::vector<Planned> planned;
  for (const auto& config : configs) planned.push_back({config, ""});
  Recorder recorder(csv, new_run_id());
  WorkerProcess worker(stop, timeout_s);
  const std::size_t failures = measure_all(missing_from(recorder, planned), worker, recorder);
  return {recorder.table(), failures};
}

}  // namespace sortlab

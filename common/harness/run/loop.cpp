#include "common/harness/run/loop.hpp"
#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/progress.hpp"
#include "common/harness/worker/worker.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

class Loop {
 public:
  Loop(Measurer& measurer, Recorder& recorder) : measurer_(measurer), recorder_(recorder) {}

  std::size_t run(const std::vector<Planned>& planned) {
    for (const auto& p : planned) progress_.expect(p.config.n);
    for (const auto& p : planned) {
      if (interrupted()) break;
      if (!given_up_.contains(p.config.id())) measure(p);
      progress_.finished(p.config.n);
    }
    progress_.end();
    return failures_;
  }

 private:
  void measure(const Planned& planned) {
    const Config& config = planned.config;
    progress_.begin(config.benchmark_name());
    bool failed_sample = false;  // it has a row of its own, with the reason
    const Outcome outcome = planned.skip_reason.empty()
                                ? record_samples(config, failed_sample)
                                : Outcome{Status::skipped, planned.skip_reason};
    if (interrupted() || outcome.status == Status::ok) return;
    given_up_.insert(config.id());
    if (!failed_sample) recorder_.add_outcome(config, outcome);
    if (outcome.status == Status::failed || outcome.status == Status::timeout) {
      ++failures_;
      note("\n{}: {}: {}\n", config.benchmark_name(), name_of(outcome.status), outcome.reason);
    }
  }

  Outcome record_samples(const Config& config, bool& failed_sample) {
    const std::string id =
        config.id();  // the numbers go on from round to round, and from run to run
    int& next_rep = next_rep_.try_emplace(id, recorder_.samples(id)).first->second;
    return measurer_.measure(config, [&](Sample sample) {
      sample.rep = next_rep++;
      recorder_.add_sample(config, sample);
      failed_sample |= sample.failed;
    });
  }

  Measurer& measurer_;
  Recorder& recorder_;
  Progress progress_;
  std::map<std::string, int> next_rep_;
  std::set<std::string> given_up_;  // not measured again in a later round
  std::size_t failures_ = 0;
};

}  // namespace

std::size_t measure_all(const std::vector<Planned>& planned, Measurer& measurer,
                        Recorder& recorder) {
  return Loop(measurer, recorder).run(planned);
}

Measured measure_all(const std::vector<Config>& configs, const StopSettings& stop,
                     double timeout_s) {
  std::vector<Planned> planned;
  for (const auto& config : configs) planned.push_back({config, ""});
  Recorder recorder("", new_run_id());
  WorkerProcess worker(stop, timeout_s);
  const std::size_t failures = measure_all(planned, worker, recorder);
  return {recorder.table(), failures};
}

}  // namespace sortlab

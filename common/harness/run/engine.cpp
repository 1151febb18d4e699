#include "common/harness/run/engine.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "common/contract/errors.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/summary.hpp"
#include "common/harness/record/text_file.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/progress.hpp"
#include "common/harness/worker/worker.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

/// Google Benchmark's own console report would repeat, less exactly, what our table says.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// The entries of FILE.run.json, one a run that added to FILE, by run_id.
json read_run_descriptions(const std::string& path) {
  json all = json::object();
  if (std::ifstream in(path); in) all = json::parse(in, nullptr, false);
  return all.is_object() ? all : json::object();
}

void add_run_description(const std::string& path, const std::string& run_id, json description) {
  json all = read_run_descriptions(path);
  all[run_id] = std::move(description);
  std::ofstream(path) << all.dump(2) << '\n';
}

/// The newest measurements among the runs that added to FILE.
CopyBandwidth measured_copy_bandwidth(const std::string& path) {
  CopyBandwidth copy;
  for (const auto& run : read_run_descriptions(path)) {
    copy.host = run.value("/roofs/copy_bytes_per_s_all_threads"_json_pointer, copy.host);
    copy.device = run.value("/gpu_roofs/device_copy_bytes_per_s"_json_pointer, copy.device);
  }
  return copy;
}

bool any_on_device(const std::vector<Planned>& planned) {
  return std::any_of(planned.begin(), planned.end(), [](const Planned& p) {
    return p.skip_reason.empty() && variant_of(p.config).info.memory == Memory::device;
  });
}

class Run {
 public:
  Run(const RunSettings& settings, std::string run_id)
      : settings_(settings), recorder_(settings.csv, std::move(run_id)) {
    if (settings.in_process) {
      measurer_ = std::make_unique<InProcessMeasurer>(settings.stop);
    } else {
      measurer_ = std::make_unique<WorkerProcess>(settings.stop, settings.timeout_s);
    }
  }

  /// Registers what the CSV does not hold yet.
  void add(const Planned& planned) {
    if (recorder_.completed(planned.config.id())) {
      ++resumed_;
      return;
    }
    progress_.expect(planned.config.n);
    benchmark::RegisterBenchmark(planned.config.benchmark_name().c_str(),
                                 [this, planned](benchmark::State& state) { body(planned, state); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }

  void finish() const { progress_.end(); }
  bool anything_failed() const { return failures_ > 0; }
  std::size_t resumed() const { return resumed_; }
  const CsvTable& table() const { return recorder_.table(); }

 private:
  /// The benchmark: takes the samples of one configuration and reports their median to Google
  /// Benchmark.
  void body(const Planned& planned, benchmark::State& state) {
    const Config& config = planned.config;
    if (interrupted()) {
      state.SkipWithError("interrupted");
      return;
    }
    if (given_up_.contains(config.id())) {
      state.SkipWithError("went wrong in an earlier round");
      progress_.finished(config.n);
      return;
    }
    progress_.begin(config.benchmark_name());
    std::vector<double> samples_ns;
    bool failed_sample = false;  // it has a row of its own, with the reason
    const Outcome outcome = planned.skip_reason.empty()
                                ? measure(config, samples_ns, failed_sample)
                                : Outcome{Status::skipped, planned.skip_reason};
    progress_.finished(config.n);
    if (interrupted()) {
      state.SkipWithError("interrupted");
      return;
    }
    if (outcome.status != Status::ok && !failed_sample) recorder_.add_outcome(config, outcome);
    if (outcome.status != Status::ok) given_up_.insert(config.id());
    if (outcome.status == Status::failed || outcome.status == Status::timeout) {
      ++failures_;
      fmt::print(stderr, "\n{}: {}: {}\n", config.benchmark_name(), name_of(outcome.status),
                 outcome.reason);
    }
    if (samples_ns.empty() || outcome.status != Status::ok) {
      state.SkipWithError(outcome.reason.c_str());
    }
    std::sort(samples_ns.begin(), samples_ns.end());
    for (auto _ : state) state.SetIterationTime(quantile(samples_ns, 0.5) * 1e-9);
    state.SetItemsProcessed(static_cast<std::int64_t>(config.n));
    state.counters["samples"] = static_cast<double>(samples_ns.size());
  }

  Outcome measure(const Config& config, std::vector<double>& samples_ns, bool& failed_sample) {
    int& next_rep = next_rep_[config.id()];  // goes on over Google Benchmark's repetitions
    return measurer_->measure(config, [&](Sample sample) {
      sample.rep = next_rep++;
      recorder_.add_sample(config, sample);
      failed_sample |= sample.failed;
      samples_ns.push_back(static_cast<double>(sample.total_ns));
    });
  }

  RunSettings settings_;
  Recorder recorder_;
  std::unique_ptr<Measurer> measurer_;
  Progress progress_;
  std::map<std::string, int> next_rep_;
  std::set<std::string> given_up_;  // not measured again in a later round
  std::size_t resumed_ = 0;
  std::size_t failures_ = 0;
};

void initialize_benchmark_library(const std::vector<std::string>& flags) {
  static std::vector<std::string> texts = {"sortlab"};  // the library keeps a pointer to the first
  texts.insert(texts.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  for (auto& text : texts) arguments.push_back(text.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) {
    throw BadInput(fmt::format("{}: Google Benchmark has no such flag", arguments[1]));
  }
}

bool only_lists(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag.starts_with("--benchmark_list_tests") && !flag.ends_with("=false");
  });
}

}  // namespace

std::string new_run_id() {
  std::string id = utc_timestamp();
  std::erase_if(id, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}-{:06x}", id, std::random_device{}() & 0xffffffu);
}

std::string beside(const std::string& csv, const std::string& ending) {
  const std::filesystem::path path(unpacked_name(csv));
  return (path.parent_path() / path.stem()).string() + ending;
}

CsvTable measure_all(const std::vector<Config>& configs, const StopSettings& stop,
                     double timeout_s) {
  Recorder recorder("", new_run_id());
  WorkerProcess worker(stop, timeout_s);
  Progress progress;
  std::map<std::string, int> next_rep;
  std::set<std::string> given_up;
  for (const auto& config : configs) progress.expect(config.n);
  for (const auto& config : configs) {
    if (interrupted()) break;
    if (given_up.contains(config.id())) continue;
    progress.begin(config.benchmark_name());
    int& rep = next_rep[config.id()];
    const Outcome outcome = worker.measure(config, [&](Sample sample) {
      sample.rep = rep++;
      recorder.add_sample(config, sample);
    });
    if (outcome.status != Status::ok) {
      recorder.add_outcome(config, outcome);
      given_up.insert(config.id());
    }
    progress.finished(config.n);
  }
  progress.end();
  return recorder.table();
}

int run_plan(const std::vector<Planned>& planned, const RunSettings& settings) {
  initialize_benchmark_library(settings.benchmark_flags);
  SilentReporter reporter;
  if (only_lists(settings.benchmark_flags)) {
    RunSettings nothing_written = settings;
    nothing_written.csv.clear();
    Run run(nothing_written, "");
    for (const auto& p : planned) run.add(p);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return 0;
  }

  const std::string run_id = new_run_id();
  const bool to_file = !settings.csv.empty() && settings.csv != "-";
  Run run(settings, run_id);
  for (const auto& p : planned) run.add(p);
  if (run.resumed() > 0) {
    fmt::print(stderr, "{} of {} configurations are in {} already\n", run.resumed(), planned.size(),
               settings.csv);
  }

  if (to_file && run.resumed() < planned.size()) {
    json description = describe_machine();
    description["arguments"] = settings.arguments;
    description["started_utc"] = utc_timestamp();
    description["roofs"] = measure_roofs();
    if (any_on_device(planned)) {
      description["gpu"] = describe_gpu();
      description["gpu_roofs"] = measure_gpu_roofs();
    }
    add_run_description(beside(settings.csv, ".run.json"), run_id, description);
  }

  watch_for_interrupts();
  if (run.resumed() < planned.size()) benchmark::RunSpecifiedBenchmarks(&reporter);
  run.finish();

  const auto summary = summarize(run.table());
  if (to_file) {
    write_summary(beside(settings.csv, ".summary.csv"), summary,
                  measured_copy_bandwidth(beside(settings.csv, ".run.json")));
  }
  if (settings.print_table) {
    fmt::print(settings.csv == "-" ? stderr : stdout, "{}", readable_table(summary));
    if (to_file) fmt::print("\nrows: {}\n", settings.csv);
  }
  if (interrupted()) return 130;
  return run.anything_failed() ? 1 : 0;
}

}  // namespace sortlab

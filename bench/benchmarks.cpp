// The sorts under Google Benchmark: one benchmark per variant and key type, on uniform keys.
//
//   sortlab_benchmark --benchmark_filter='cpu/radix/.*/u32' --benchmark_out=new.json
//
// Times and inputs are those of `sortlab run`, in this process, and every result is verified.
// Google's compare.py can read the JSON. Exit code 1 when a sort failed, 2 for an unknown flag and
// when nothing matched.
#include <benchmark/benchmark.h>

#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/measure/sampler.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

constexpr const char* kSizes = "1K..4M*16";

/// Replaces Google's 0.5 s: only the sorts count, and restoring, verifying and warming up take many
/// times as long as a short sort.
char default_min_time[] = "--benchmark_min_time=0.05";

/// Overrides BENCHMARK_FILTER and BENCHMARK_LIST_TESTS in the environment: a run measures only what
/// its command line names.
char default_filter[] = "--benchmark_filter=all";
char default_list_tests[] = "--benchmark_list_tests=false";

/// Google Benchmark calls a benchmark several times, with increasing iterations. So its sort stays
/// set up until the next benchmark.
class CurrentSort {
 public:
  /// Throws std::exception when the sort can't be set up.
  Sampler& sampler_of(const Config& config) {
    if (sampler_ && task_->config.id() == config.id()) return *sampler_;
    sampler_.reset();
    task_.emplace(config);
    const std::string reason = lacks_memory(*task_, inputs_.make_room(config));
    if (!reason.empty()) throw std::runtime_error(reason);
    inputs_.prepare(config);
    return sampler_.emplace(*task_, Setup{}, inputs_);
  }

 private:
  InputPool inputs_;
  std::optional<Task> task_;
  std::optional<Sampler> sampler_;
};

bool any_failed = false;

void fail(benchmark::State& state, const std::string& reason) {
  any_failed = true;
  state.SkipWithError(reason.c_str());
}

void sort_uniform_keys(benchmark::State& state, CurrentSort& sort, const Config& config) try {
  Sampler& sampler = sort.sampler_of(config);
  int rep = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Sample sample = sampler.take(rep++);
    if (sample.failed) return fail(state, sample.stop_reason);
    state.SetIterationTime(sampler.figure_of(sample) * 1e-9);
  }
  const auto keys = static_cast<double>(config.n);
  using benchmark::Counter;
  state.counters["keys/s"] = Counter(keys, Counter::kIsIterationInvariantRate);
  state.counters["bytes/s"] = Counter(keys * static_cast<double>(bytes_of(config.key_type)),
                                      Counter::kIsIterationInvariantRate);
} catch (const std::exception& error) {
  fail(state, error.what());
}

/// One benchmark per variant and type that can run here, with one argument per size.
void register_benchmarks(CurrentSort& sort) {
  Selection selection;
  selection.types.assign(std::begin(kKeyTypeNames), std::end(kKeyTypeNames));
  selection.sizes = {kSizes};
  std::map<std::string, std::map<std::int64_t, Config>> by_name;
  for (const auto& [config, skip_reason] : plan(selection)) {
    if (!skip_reason.empty()) continue;
    const std::string name = config.variant + "/" + std::string(name_of(config.key_type));
    by_name[name].emplace(static_cast<std::int64_t>(config.n), config);
  }
  for (const auto& [name, by_size] : by_name) {
    auto* const registered = benchmark::RegisterBenchmark(
        name.c_str(), [&sort, by_size = by_size](benchmark::State& state) {
          sort_uniform_keys(state, sort, by_size.at(state.range(0)));
        });
    registered->ArgName("n")->UseManualTime()->Unit(benchmark::kMicrosecond);
    for (const auto& [n, config] : by_size) registered->Arg(n);
  }
}

void add_context() {
  benchmark::AddCustomContext("git_revision", kGitRevision);
  benchmark::AddCustomContext("cpu", cpu_model());
  if (device_unavailable().empty()) benchmark::AddCustomContext("gpu", gpu_name());
}

int benchmark_main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  // The user's flags come later and override these.
  arguments.insert(arguments.begin() + 1, {default_min_time, default_filter, default_list_tests});
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  CurrentSort sort;
  register_benchmarks(sort);
  add_context();
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 2;
  benchmark::Shutdown();
  return any_failed ? 1 : 0;
}

}  // namespace
}  // namespace sortlab

int main(int argc, char** argv) { return sortlab::benchmark_main(argc, argv); }

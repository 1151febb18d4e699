// Measures a CPU sort that is called repeatedly, like in a service: one call directly after the
// other, or with some time between two calls in which the caller does something else.
//
//   sortlab_in_a_row --variant cpu/auto/auto --n 100K,1M,16M --gap 0,200 --load 0,25%,50% > in_a_row.csv
//
// `sortlab run` restores and verifies the keys between two sorts; that takes milliseconds and keeps
// the threads from sleeping. Here all inputs of a series are made beforehand, each from a different
// seed. A row is the median over the sorts of all series without the first fifth of each, in which
// threads wake up. The last result of each series is verified. Exit code 1 when one was wrong, 2
// for bad arguments.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/contract/isa.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/input/distributions.hpp"
#include "common/harness/load.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/rig/workspace.hpp"
#include "common/harness/verify/verify.hpp"
#include "common/harness/worker/busy_cpus.hpp"
#include "common/timers.hpp"
#include "common/utils.hpp"

namespace sortlab {
namespace {

struct Arguments {
  std::string variant = "cpu/auto/auto", sizes = "100K,1M,16M";
  std::vector<double> gaps_us = {0, 200};
  std::vector<std::string> loads = {"0"};
  int threads = usable_cpus();
  double seconds = 0.3;
};

/// Arrays of n uniform u32 keys, to be sorted one after the other, in the same kind of memory as in
/// `sortlab run`.
class Series {
 public:
  Series(const Variant& variant, std::size_t n, int threads)
      : instance_(*variant.instance(KeyType::u32, 0, Order::ascending)),
        threads_(threads),
        n_(n),
        alternate_(bytes()),
        workspace_(variant.workspace_bytes({n, sizeof(std::uint32_t), 0, threads, params_})) {
    const std::size_t count = std::clamp(kSeriesKeys / n, kFewest, kMost);
    for (std::size_t i = 0; i < count; ++i) inputs_.emplace_back(bytes());
  }

  /// Makes and sorts all of them; adds the times of those that count, in microseconds.
  void run(double gap_us, std::vector<double>& times) {
    for (const auto& input : inputs_) {
      generate(std::span(keys_of(input), n_), parse_distribution("uniform"), next_seed_++);
    }
    const auto expected = fingerprint(KeyType::u32, keys_of(inputs_.back()), nullptr, n_);
    const void* result = nullptr;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Stopwatch sorting;
      result = sort(inputs_[i].data());
      const double time_us = 1e6 * sorting.elapsed_s();
      if (i >= inputs_.size() / 5) times.push_back(time_us);
      const Stopwatch gap;
      while (1e6 * gap.elapsed_s() < gap_us) {
      }
    }
    const Verdict verdict =
        verify(KeyType::u32, Order::ascending, result, nullptr, n_, expected, false);
    if (!verdict.ok()) throw std::runtime_error(verdict.fault());
  }

 private:
  static constexpr std::size_t kSeriesKeys = std::size_t{64} << 20, kFewest = 8, kMost = 200;

  std::size_t bytes() const { return n_ * sizeof(std::uint32_t); }
  static std::uint32_t* keys_of(const GuardedBuffer& input) {
    return reinterpret_cast<std::uint32_t*>(input.data());
  }

  const void* sort(std::byte* keys) {
    const ErasedJob job{.instance = &instance_,
                        .keys = keys,
                        .values = nullptr,
                        .alternate_keys = alternate_.data(),
                        .alternate_values = nullptr,
                        .n = n_,
                        .workspace = workspace_.span(),
                        .threads = threads_,
                        .isa = isa_,
                        .stream = nullptr,
                        .params = &params_};
    return instance_.sort(job) == ResultIn::alternate ? alternate_.data() : keys;
  }

  const Instance& instance_;
  int threads_;
  Isa isa_ = usable_isa();  // CPUID is slow in a virtual machine
  Params params_;
  std::size_t n_;
  GuardedBuffer alternate_, workspace_;
  std::vector<GuardedBuffer> inputs_;
  std::uint64_t next_seed_ = 12345;
};

void measure(const Arguments& arguments) {
  const Variant* variant = find_variant(arguments.variant);
  if (variant == nullptr || variant->info.memory != Memory::host) {
    throw BadInput(arguments.variant + ": no such CPU sort");
  }
  const std::vector<std::size_t> sizes = parse_sizes(arguments.sizes);
  fmt::print(
      "cpu,cpus,git_revision,load,variant,key_type,n,threads,gap_us,sorts,mkeys_per_s,p90_over_"
      "median\n");
  for (const std::string& load : arguments.loads) {
    BusyCpus busy;
    busy.make(parse_load(load, usable_cpus()));
    for (const std::size_t n : sizes) {
      Series series(*variant, n, arguments.threads);
      for (const double gap_us : arguments.gaps_us) {
        std::vector<double> times;
        for (const Stopwatch all; all.elapsed_s() < arguments.seconds;) series.run(gap_us, times);
        std::sort(times.begin(), times.end());
        const double median = times[times.size() / 2], p90 = times[times.size() * 9 / 10];
        fmt::print("{},{},{},{},{},u32,{},{},{},{},{:.0f},{:.2f}\n", cpu_model(), usable_cpus(),
                   kGitRevision, load, variant->id, n, arguments.threads, gap_us, times.size(),
                   static_cast<double>(n) / median, p90 / median);
        std::fflush(stdout);
      }
    }
  }
}

int in_a_row_main(int argc, char** argv) {
  if (argc == 3 && argv[1] == std::string_view("load")) return busy_main(argv[2]);
  Arguments arguments;
  CLI::App app{"A CPU sort called again and again: u32 keys, uniform; rows of a CSV on stdout"};
  app.add_option("--variant", arguments.variant, "the sort")->capture_default_str();
  app.add_option("--n", arguments.sizes, "numbers of keys")->capture_default_str();
  app.add_option("--gap", arguments.gaps_us, "time between two calls, us")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--load", arguments.loads, "CPUs that other programs take: 0, 4, 25%, 50%:50/50")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "threads of the sort")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--time", arguments.seconds, "least time for each row, s")
      ->check(CLI::Range(0.0, 1e4))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    measure(arguments);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "sortlab_in_a_row: {}\n", error.what());
    return 2;
  } catch (const BadInput& error) {
    fmt::print(stderr, "sortlab_in_a_row: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sortlab_in_a_row: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace sortlab

int main(int argc, char** argv) { return sortlab::in_a_row_main(argc, argv); }

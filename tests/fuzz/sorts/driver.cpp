#include "tests/fuzz/sorts/driver.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"
#include "tests/fuzz/sorts/watch.hpp"

namespace sortlab::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  std::uint64_t seed = 12345;
  std::optional<std::uint64_t> runs, seconds;
  unsigned timeout_seconds = 120;
  std::string only;
  std::vector<Case> cases;  // given ones, in place of random ones
};

std::uint64_t whole(const std::string& flag, const std::string& text) {
  const auto number = parse_whole(text);
  if (!number) throw BadInput(flag + ": a whole number was expected, not '" + text + "'");
  return *number;
}

/// A file has one case per line; lines that begin with # are comments.
void read_cases(const std::filesystem::path& path, std::vector<Case>& cases) {
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      read_cases(entry.path(), cases);
    }
    return;
  }
  std::ifstream file(path);
  if (!file) throw BadInput(path.string() + ": can't be read");
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      cases.push_back(parse_case(line));
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("{}:{}: {}", path.string(), number, error.what()));
    }
  }
}

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with('-')) {
      read_cases(argument, flags.cases);
      continue;
    }
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string flag = argument.substr(0, equals);
    const std::string text = argument.substr(std::min(argument.size(), equals + 1));
    if (flag == "-case") {
      flags.cases.push_back(parse_case(text));
    } else if (flag == "-only") {
      flags.only = text;
    } else if (flag == "-seed") {
      flags.seed = whole(flag, text);
    } else if (flag == "-runs") {
      flags.runs = whole(flag, text);
    } else if (flag == "-max_total_time") {
      flags.seconds = whole(flag, text);
    } else if (flag == "-timeout") {
      flags.timeout_seconds = static_cast<unsigned>(whole(flag, text));
    } else {
      throw BadInput(
          "-seed=, -runs=, -max_total_time=, -timeout=, -only=, -case= or a file of cases was "
          "expected, not '" +
          argument + "'");
    }
  }
  return flags;
}

/// Threads take cases in turn, and count the results.
class Loop {
 public:
  Loop(const Fuzzer& fuzzer, const Flags& flags)
      : fuzzer_(fuzzer),
        flags_(flags),
        sorts_(sorts_in(fuzzer.memory)),
        tallies_(sorts_.size()),
        watch_(fuzzer.name, flags.timeout_seconds) {}

  void run() {
    std::vector<std::jthread> others;
    for (int t = 1; t < fuzzer_.threads; ++t) others.emplace_back([this, t] { work(t); });
    work(0);
  }

  /// Prints one line per sort, and a total. Returns the exit code.
  int report() const {
    Tally all;
    for (std::size_t s = 0; s < sorts_.size(); ++s) {
      const Tally& tally = tallies_[s];
      fmt::print("{:50} {:8} sorts {:4} wrong {:4} refused\n", sorts_[s].name(), tally.sorts,
                 tally.wrong, tally.refused);
      all.sorts += tally.sorts;
      all.wrong += tally.wrong;
    }
    fmt::print("{}: {} inputs, {} sorts, {:.1f} s, {} wrong\n", fuzzer_.name, inputs_, all.sorts,
               std::chrono::duration<double>(Clock::now() - began_).count(), all.wrong);
    if (all.sorts == 0) throw BadInput("no sort took part");
    return all.wrong == 0 ? 0 : 1;
  }

 private:
  struct Tally {
    std::uint64_t sorts = 0, wrong = 0;
    std::uint64_t refused = 0;  // parameters that this machine has no room for
  };

  /// Empty after the last one.
  std::optional<Case> next_case() {
    const std::uint64_t number = next_++;
    if (!flags_.cases.empty()) {
      if (number >= flags_.cases.size()) return std::nullopt;
      return flags_.cases[number];
    }
    if (flags_.seconds && Clock::now() - began_ >= std::chrono::seconds(*flags_.seconds)) {
      return std::nullopt;
    }
    // As with libFuzzer, neither limit means no limit.
    if (number >= flags_.runs.value_or(std::numeric_limits<std::uint64_t>::max())) {
      return std::nullopt;
    }
    return random_case(flags_.seed, number, fuzzer_.large_one_in);
  }

  void work(int thread) {
    const std::unique_ptr<Caller> caller = fuzzer_.make_caller();
    while (const auto one = next_case()) {
      const Input input(*one);
      for (std::size_t s = 0; s < sorts_.size(); ++s) {
        if (sorts_[s].takes_part_in(*one, input)) check(thread, *caller, s, *one, input);
      }
      ++inputs_;
    }
    Watch::end(thread);
  }

  void check(int thread, Caller& caller, std::size_t s, const Case& one, const Input& input) {
    Call call(one, sorts_[s]);
    const std::string what = call.text();
    const std::string again =
        fmt::format("{} -only={} -case='{}'", fuzzer_.name, sorts_[s].variant->id, text_of(one));
    watch_.begin(thread, what + ": " + again);
    std::string fault;
    bool refused = false;
    try {
      fault = caller.fault_of(call, one, input);
    } catch (const BadInput& error) {
      refused = !call.has_fallbacks();
      fault = refused ? "" : error.what();
    } catch (const std::exception& error) {
      fault = error.what();
    }
    const std::lock_guard lock(mutex_);
    Tally& tally = tallies_[s];
    ++(refused ? tally.refused : tally.sorts);
    if (fault.empty()) return;
    ++tally.wrong;
    fmt::print(stderr, "{}: {}: {}: {}\n", fuzzer_.name, what, fault, again);
    if (!fuzzer_.is_broken()) return;
    Watch::print_what_works(": its device failed during ");  // the faulty one is unknown
    _exit(1);
  }

  const Fuzzer& fuzzer_;
  const Flags& flags_;
  const std::vector<Sort> sorts_;
  const Clock::time_point began_ = Clock::now();
  std::atomic<std::uint64_t> next_ = 0, inputs_ = 0;
  std::mutex mutex_;  // of the tallies and of stderr
  std::vector<Tally> tallies_;
  Watch watch_;
};

}  // namespace

int fuzz(const Fuzzer& fuzzer, int argc, char** argv) try {
  const Flags flags = parse_flags(argc, argv);
  if (!flags.only.empty()) keep_only_variants(flags.only.c_str());
  Loop loop(fuzzer, flags);
  loop.run();
  return loop.report();
} catch (const std::exception& error) {
  fmt::print(stderr, "{}: {}\n", fuzzer.name, error.what());
  return 2;
}

}  // namespace sortlab::fuzz

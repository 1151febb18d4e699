// What the fuzzers of sorts have in common: the command line, the loop over cases, and the report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/fuzz/sorts/input.hpp"
#include "tests/fuzz/sorts/sorts.hpp"

namespace sortlab::fuzz {

/// Calls sorts for one thread, in memory of its own.
class Caller {
 public:
  virtual ~Caller() = default;
  /// "" or what is wrong with what the call leaves. Throws what the sort throws.
  virtual std::string fault_of(Call& call, const Case& one, const Input& input) = 0;
};

struct Fuzzer {
  std::string name;
  Memory memory;
  std::function<std::unique_ptr<Caller>()> make_caller;
  int threads = 1;                    // that sort cases at a time
  std::uint64_t large_one_in = 2000;  // of so many cases one has up to 4 million items
  /// Whether a failed sort has left nothing that could go on.
  std::function<bool()> is_broken = [] { return false; };
};

/// Cases from files or folders, or one on the command line, or random ones:
///
///   NAME [-seed=S] [-runs=N] [-max_total_time=SECONDS] [-timeout=SECONDS] [-only=GLOB] [FILE|FOLDER...]
///   NAME -case='type=u32 order=asc n=17 ...'
///
/// The flags are spelled as libFuzzer's are. Prints each fault with the command that repeats it, then a
/// line for each sort. A crash, and a sort that takes longer than the timeout (120), prints what was at
/// work. Returns the exit code: 0, 1 after a fault, 2 for bad input.
int fuzz(const Fuzzer& fuzzer, int argc, char** argv);

}  // namespace sortlab::fuzz

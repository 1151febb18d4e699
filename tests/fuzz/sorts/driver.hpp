// The common part of the sorts' fuzzers: the command line, the loop over cases, and the report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/fuzz/sorts/input.hpp"
#include "tests/fuzz/sorts/sorts.hpp"

namespace sortlab::fuzz {

/// Calls sorts for one thread, in that thread's memory.
class Caller {
 public:
  virtual ~Caller() = default;
  /// "" or the fault of the call's result. Passes on the sort's exceptions.
  virtual std::string fault_of(Call& call, const Case& one, const Input& input) = 0;
};

struct Fuzzer {
  std::string name;
  Memory memory;
  std::function<std::unique_ptr<Caller>()> make_caller;
  int threads = 1;                    // that sort cases concurrently
  std::uint64_t large_one_in = 2000;  // one of this many cases has up to 4 million items
  /// Whether a failed sort makes it impossible to continue.
  std::function<bool()> is_broken = [] { return false; };
};

/// Cases from files or folders, or one on the command line, or random ones:
///
///   NAME [-seed=S] [-runs=N] [-max_total_time=SECONDS] [-timeout=SECONDS] [-only=GLOB] [FILE|FOLDER...]
///   NAME -case='type=u32 order=asc n=17 ...'
///
/// The flags have the form of libFuzzer's. Prints each fault with the command that repeats it, then
/// one line per sort. A crash, or a sort that exceeds the timeout (120), prints the running sorts.
/// Returns the exit code: 0, 1 after a fault, 2 for bad input.
int fuzz(const Fuzzer& fuzzer, int argc, char** argv);

}  // namespace sortlab::fuzz

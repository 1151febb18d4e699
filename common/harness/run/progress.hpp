// The progress line on stderr.
#pragma once

#include <cstddef>
#include <string>

#include "common/harness/run/estimate.hpp"
#include "common/harness/run/interrupt.hpp"

namespace sortlab {

/// Shows the progress of a run, its elapsed and remaining time, and the last result. On a terminal
/// it rewrites one line, cut to the window; elsewhere it prints a line every ten seconds.
class Progress {
 public:
  Progress();

  /// To be called for each configuration before the run begins.
  void expect(const std::string& variant, std::size_t n);
  /// `name` is the current configuration.
  void begin(const std::string& name);
  /// Updates the elapsed time, at most once per second. To be called while a configuration runs.
  void tick();
  /// The current configuration is done. `result` is shown until the next one; "" keeps the last.
  void finished(const std::string& variant, std::size_t n, const std::string& result = "");
  /// Removes the line.
  void end() const;

 private:
  void show();
  std::string line() const;

  bool on_terminal_;
  Estimate estimate_;
  std::string name_, result_;
  std::size_t count_ = 0;
  std::size_t finished_ = 0;
  double began_s_ = 0;  // the current configuration
  double last_shown_s_ = -10;
  WorkingTime watch_;
};

/// "3 s", "2:05 min", "1:02 h".
std::string readable_duration(double seconds);

}  // namespace sortlab

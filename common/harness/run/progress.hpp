// The progress line on stderr.
#pragma once

#include <cstddef>
#include <string>

#include "common/harness/pause.hpp"
#include "common/harness/run/estimate.hpp"

namespace sortlab {

/// Shows how far a run is, for how long it has run and how long it will take, and the last result. On a
/// terminal one line, cut to the window, that is rewritten; elsewhere a line every ten seconds.
class Progress {
 public:
  Progress();

  /// To be called for each configuration before the run begins.
  void expect(const std::string& variant, std::size_t n);
  /// `name` is what is at work now.
  void begin(const std::string& name);
  /// Shows that time goes by, at most once per second. To be called while a configuration is at work.
  void tick();
  /// The configuration at work is done. `result` is shown until the next one; "" leaves the last.
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
  double began_s_ = 0;  // the configuration at work
  double last_shown_s_ = -10;
  WorkingTime watch_;
};

/// "3 s", "2:05 min", "1:02 h".
std::string readable_duration(double seconds);

}  // namespace sortlab

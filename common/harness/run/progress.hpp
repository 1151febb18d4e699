// The progress line on stderr.
#pragma once

#include <cstddef>
#include <string>

#include "common/harness/pause.hpp"

namespace sortlab {

/// Shows how far a run is and how long it will take. On a terminal one line that is rewritten;
/// elsewhere a line every ten seconds. Larger n count for more.
class Progress {
 public:
  /// To be called for each configuration before the run begins.
  void expect(std::size_t n) { expected_ += weight(n), ++count_; }
  void begin(const std::string& name);
  void finished(std::size_t n) { done_ += weight(n), ++finished_; }
  void end() const;

 private:
  static double weight(std::size_t n) { return 1 + static_cast<double>(n) / 65536; }

  double expected_ = 0;
  double done_ = 0;
  std::size_t count_ = 0;
  std::size_t finished_ = 0;
  double last_shown_s_ = -10;
  WorkingTime watch_;
};

}  // namespace sortlab

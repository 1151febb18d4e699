#include "common/harness/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "common/notes.hpp"

namespace sortlab {

void Progress::begin(const std::string& name) {
  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  const double elapsed_s = watch_.elapsed_s();
  if (!on_terminal && elapsed_s - last_shown_s_ < 10) return;
  last_shown_s_ = elapsed_s;
  std::string left;
  if (done_ > 0 && elapsed_s > 1) {
    const auto seconds = static_cast<long>(elapsed_s * (expected_ - done_) / done_);
    left = fmt::format(", about {}:{:02} left", seconds / 60, seconds % 60);
  }
  note("{}[{}/{}{}] {}{}", on_terminal ? "\r\x1b[K" : "", finished_ + 1, count_, left, name,
       on_terminal ? "" : "\n");
}

void Progress::end() const {
  if (isatty(STDERR_FILENO) != 0) note("\r\x1b[K");
}

}  // namespace sortlab

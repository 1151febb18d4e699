// A load: programs that only compute keep this many CPUs busy while a sort is measured.
#pragma once

#include <string>
#include <string_view>

namespace sortlab {

/// None by default. The programs compute all the time where `off_ms` is 0.
struct Load {
  int cpus = 0;
  int on_ms = 0;   // each computes for so long,
  int off_ms = 0;  // then sleeps for so long

  friend bool operator==(const Load&, const Load&) = default;
};

/// "8", "25%" of `cpus` (rounded, at least one CPU), "50%:50/20": computes for 50 ms, sleeps for 20 ms.
/// Throws BadInput for any other text.
Load parse_load(std::string_view text, int cpus);

/// "0", "8", "8:50/20": parse_load() reads it.
std::string text_of(const Load& load);

}  // namespace sortlab

// Two runs side by side: what became faster, what slower, and what can't be told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/tool/compare/pairing.hpp"
#include "common/tool/compare/sample_tests.hpp"

namespace sortlab {

/// With the threshold t and the 95 % interval of the ratio new/base of the medians:
///   slower   the whole interval is above 1 + t, and Mann-Whitney's p is under 0.05
///   faster   the whole interval is below 1 / (1 + t), and p is under 0.05
///   same     the ratio is between these two, and the interval within their squares: a change of
///            twice the threshold is ruled out
///   unclear  none of these: the samples are too few or too noisy
///   identical  both sides hold the very same samples: a file compared with itself
///   failed   it ran in the base and failed, timed out or ran out of memory in the new run
///
/// Two runs of one build differ by more than chance within either explains (pages, clocks,
/// neighbours); the threshold is what is allowed for that, and no interval knows of it. The p
/// values are not corrected for the number of configurations: where nothing changed, an interval
/// must lie beyond the threshold by mistake, which is much rarer than 1 in 40, while a correction
/// over hundreds of configurations would ask of five samples what they can't give.
enum class Change : std::uint8_t { failed, slower, unclear, same, identical, faster };
std::string_view name_of(Change verdict);

struct Compared {
  const SummaryRow* base;
  const SummaryRow* next;
  Ratio ratio;
  Change verdict;
};

struct Comparison {
  std::vector<Compared> rows;                 // worst first, then the largest gains
  std::vector<const SummaryRow*> only_base;   // no such configuration in the new run
  std::vector<const SummaryRow*> only_new;    // nor in the base
  std::vector<const SummaryRow*> unmeasured;  // no samples on one side or both: skipped, failed

  std::size_t count(Change verdict) const;
  /// Whether a gate should close: anything slower or failed.
  bool got_worse() const { return count(Change::slower) + count(Change::failed) > 0; }
};

Change judge(const Ratio& ratio, double threshold);

/// The rows must outlive the result. `threshold` above 0: 0.05 is 5 %.
Comparison compare(const std::vector<SummaryRow>& base, const std::vector<SummaryRow>& next,
                   double threshold);

/// "1.10x slower", "8.0x faster", "as fast": of new over base.
std::string change_title(double ratio);

/// How many samples a side would tell `unclear` from `same`, if they scatter as those that are there.
std::size_t samples_to_tell(const Compared& row, double threshold);

/// For people: what differs between the machines, a line a configuration, and a last line that
/// counts.
std::string readable_comparison(const Comparison& comparison, double threshold);

/// Writes a row a configuration; the columns that may differ come twice, of base and new. Throws
/// BadInput when it can't.
void write_comparison(const std::string& path, const Comparison& comparison);

}  // namespace sortlab

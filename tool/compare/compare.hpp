// Compares two runs: which configurations became faster or slower, and which are unclear.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool/compare/pairing.hpp"
#include "tool/compare/sample_tests.hpp"

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
/// Two runs of one build differ by more than the chance within either run explains (pages, clocks,
/// neighbours). The threshold allows for this difference, which no interval includes. The p values
/// are not corrected for the number of configurations. Without a real change, an interval lies
/// beyond the threshold much less often than 1 in 40. A correction over hundreds of configurations
/// would need more than five samples.
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
  /// Whether a CI gate should fail: anything slower or failed.
  bool got_worse() const { return count(Change::slower) + count(Change::failed) > 0; }
};

Change judge(const Ratio& ratio, double threshold);

/// The rows must outlive the result. `threshold` above 0: 0.05 is 5 %.
Comparison compare(const std::vector<SummaryRow>& base, const std::vector<SummaryRow>& next,
                   double threshold);

/// "1.10x slower", "8.0x faster", "as fast": of new over base.
std::string change_title(double ratio);

/// How many samples per side would tell `unclear` from `same`, if they scatter like the present
/// ones.
std::size_t samples_to_tell(const Compared& row, double threshold);

/// Text for people: the differences between the machines, one line per configuration, and a last
/// line with the counts.
std::string readable_comparison(const Comparison& comparison, double threshold);

/// Writes one row per configuration. The columns that may differ occur twice, for base and new.
/// Throws BadInput when it can't write.
void write_comparison(const std::string& path, const Comparison& comparison);

}  // namespace sortlab

// The output of `sortlab run` at its end, with its conclusion: the fastest sort of each input, and its lead over the best
// library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/harness/record/summary.hpp"
#include "common/harness/run/engine.hpp"
#include "tool/output_format.hpp"
#include "tool/run/table.hpp"

namespace sortlab {

/// The sorts that competed for one input of n keys, on one side, with a number of threads.
struct Contest {
  std::string title;  // "u32, uniform", with the side and the threads where they matter
  std::size_t n = 0;
  std::vector<const SummaryRow*> ranked;  // measured, fastest first; not empty

  const SummaryRow& winner() const { return *ranked.front(); }
  /// The fastest library: a baseline or a plug-in. Null where none was measured.
  const SummaryRow* library() const;
  /// The sort that the winner is compared with: the best library. If that is the winner itself, or
  /// there is none, the next in rank. Null for a winner without a rival.
  const SummaryRow* rival() const;
  /// How many times as fast as its rival the winner is, 1 or more.
  double gain() const;
  /// Whether the 95 % intervals of the winner and the next in rank overlap.
  bool is_tie() const;
};

/// In the order of the rows, which must outlive the result. Each side is separate. If a sort of the
/// CPU was measured with several numbers of threads, each number is a contest among all sorts of the
/// CPU that use no more.
std::vector<Contest> contests_of(const std::vector<SummaryRow>& rows);

/// "Fastest:" and a line for each winner, neighbouring sizes joined; "" without contests.
std::string readable_conclusion(const std::vector<Contest>& contests, std::size_t width);

/// "GPU against CPU:" and for each input that both sides sorted the n from which the GPU wins; with the copies,
/// if they were measured, a second line. "" if there is no such input.
std::string readable_crossings(const std::vector<SummaryRow>& rows, std::size_t width);

/// Prints the table, the reasons for skipped configurations, the conclusion and the files. Writes
/// to stderr if the CSV goes to stdout.
void print_result(const RunResult& result, const std::string& csv, TableLayout layout,
                  OutputFormat format);

}  // namespace sortlab

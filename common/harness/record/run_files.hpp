// The name of a run, and the files beside its CSV.
#pragma once

#include <string>

namespace sortlab {

/// "20261121T063049Z-3ef387": the time and a random number.
std::string new_run_id();

/// "bench.csv" -> "bench.summary.csv" for ".summary.csv"; the same for "bench.csv.xz", and
/// "bench.txt.summary.csv" for "bench.txt".
std::string beside(const std::string& csv, const std::string& ending);

/// Whether a CSV has such files; "" (none), "-" and devices have none. Throws BadInput for a
/// folder.
bool has_files_beside(const std::string& csv);

/// Throws BadInput when another CSV of this program has the same files beside it: "x" beside "x.csv"
/// or "x.csv.xz", and the other way round.
void require_own_files_beside(const std::string& csv);

}  // namespace sortlab

// The name of a run, and the files beside its CSV, of which FILE.run.json describes the runs that added to FILE.csv.
#pragma once

#include <nlohmann/json.hpp>
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

/// The descriptions by run_id; empty when there is no such file. Their members that sortlab reads
/// (cpu, gpu, roofs, ...) have the right kind if they are present. Throws BadInput, which names the
/// file, the key and the expected kind, for any other file.
nlohmann::json read_run_json(const std::string& path);

}  // namespace sortlab

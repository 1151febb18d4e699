// The name of a run, and the files beside its CSV, of which FILE.run.json describes the runs that added to FILE.csv.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

/// Whether a file has the name of a breakdown, packed or not.
bool is_breakdown(const std::string& path);

/// The CSVs in a folder and those below it, in order, without summaries. A packed file is left out if it lies there
/// unpacked, too.
std::vector<std::string> csvs_below(const std::string& folder);

/// The descriptions by run_id; empty when there is no such file. Their members that sortlab reads
/// (cpu, gpu, roofs, ...) have the right kind if they are present. Throws BadInput, which names the
/// file, the key and the expected kind, for any other file.
nlohmann::json read_run_json(const std::string& path);

/// "3ef387ab12cd", or "3ef387ab12cd with changes": the sources of this program; and those of the program that made a
/// run, by its description, or "".
std::string this_revision();
std::string revision_in(const nlohmann::json& run);

}  // namespace sortlab

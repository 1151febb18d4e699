// Makes the list of configurations from the user's selection: variant x type x distribution x n x
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/config.hpp"
#include "common/harness/input/key_file.hpp"
#include "common/harness/measure/statistics.hpp"
#include "common/harness/plan/counts.hpp"

namespace sortlab {

/// All distributions that model real programs, as Usage says.
inline constexpr std::string_view kRealInputs = "@real";

/// For each distribution the number of keys that programs sort; 1M for distributions without one.
inline constexpr std::string_view kTypicalSizes = "typical";

/// One block of the matrix: lists as the user gave them, empty where the default applies.
struct Selection {
  std::vector<std::string> filters;   // globs on ids; default: all
  std::vector<std::string> types;     // u32, ...; default: the distribution's own, most often u32
  std::vector<std::string> records;   // "100:10": records of so many bytes, keys of so many
  std::vector<std::string> dists;     // "uniform", "zipf:1.0", kRealInputs; default: uniform
  std::vector<std::string> sizes;     // "16K..128M", "1000,1e6", kTypicalSizes; default: 1M
  std::vector<std::string> threads;   // "1,2,4", "all"; default: all
  std::vector<std::string> ranks;     // "2,4"; default: the launcher's, or none
  std::vector<std::string> devices;   // each "2" or "0,2": the GPUs of a sort over several of them
  std::vector<std::string> params;    // each "name=value,...": one point of a sweep
  std::vector<std::string> values;    // "keys", "pairs", or both; default: the distribution's own
  std::vector<std::string> host_mem;  // "none" (default), "pageable", "pinned", "staged"
  std::vector<std::string> gpu_mem;   // "8G,1G": caps of the GPU memory; default: none
  std::vector<std::string> launch;    // device sorts: "stream", "graph"; default: stream
  std::vector<std::string> load;      // "0", "8", "25%", "50%:50/50"; default: 0
  std::vector<std::string> segments;  // "rows:64", "power:64:wide"; default: none
  std::vector<std::string> best;      // "50", "1-50:sorted:first"; default: none
  std::string order = "asc";          // or desc
  std::string cache = "hot";          // or cold
  std::uint64_t seed = 12345;
  bool pin = false;
  bool energy = false;
  bool counters = false;
  std::string input;  // file with the user's keys, instead of dists
  std::string input_format = "auto";
  bool needs_gpu = false;  // of a block in a matrix file: left out where no GPU is
  std::string part;        // of a block in a matrix file: which part of the matrix it belongs to
};

/// The reason why an input that only `sortlab verify` uses is not measured.
inline constexpr std::string_view kCorrectnessOnly = "for correctness only: sortlab verify";

/// A configuration, and the reason if it is not to be run.
struct Planned {
  Config config;
  std::string skip_reason;
};

/// All configurations of a selection, those of one load next to each other, and among them those of
/// one input. Throws BadInput for
/// unknown ids, types, distributions and parameters and for malformed numbers.
std::vector<Planned> plan(const Selection& selection);

/// Those of several selections, each once: they may overlap. Throws BadInput, too, where what they ask for has no effect:
/// segments, ranks or GPUs where no sort has any.
std::vector<Planned> plan_all(const std::vector<Selection>& selections);

/// in_rounds() makes a copy of the plan for each.
inline constexpr int kMostRounds = 1000;

/// The same configurations by input, those of each input `rounds` times in turn: A, B, C, A, B, C. Slow
/// drift (clocks, other load) then affects all of them equally. Where there are several loads, each
/// round has all configurations of one load, then all of the next.
std::vector<Planned> in_rounds(const std::vector<Planned>& planned, int rounds);

/// The content of a matrix file.
struct Matrix {
  std::vector<Selection> runs;
  StopSettings stop;
  int rounds = 1;
  double slow_s = 0;  // see SlowSorts
};

/// Reads {"description": ..., "rounds": 3, "skip-slow": 0.2, "stop": {"time": 0.1, ...}, "runs": [{"filter": [...],
/// ...}]}; the keys are those of the command line's flags, and "needs_gpu" and "part" of a run. Throws BadInput.
Matrix read_matrix_file(const std::string& path);

/// The names of the matrices under bench/, which are embedded in the program.
std::vector<std::string> matrix_names();

/// The matrix file at that path, or else the embedded matrix of that name. Throws BadInput, with
/// the nearest names.
Matrix read_matrix(const std::string& name_or_path);

/// The registered variants that the filters select, in order of their ids. Filters are globs on ids
/// (* and ?) and the groups of groups.hpp. Throws BadInput for a filter that selects none.
std::vector<const Variant*> select_variants(const std::vector<std::string>& globs);

/// "100:10": records of 100 bytes that begin with keys of 10. Throws BadInput.
RecordShape parse_record_shape(std::string_view text);

/// The complaint about an id, or a glob on ids, that names no variant: that this build has none of its kind,
/// and why; or the nearest names.
BadInput no_such_variant(const std::string& name);
/// Whether a built variant, or a plug-in's, matches.
bool names_any_variant(const std::string& glob);
/// Why this build lacks the variants that match: their library is missing. "" if none is left out for that reason.
std::string reason_left_out(const std::string& glob);

/// "u32", or the type's name in C++, NumPy or SQL: "uint32_t", "uint32", "float", "bigint". Throws BadInput.
KeyType parse_key_type(std::string_view text);

}  // namespace sortlab

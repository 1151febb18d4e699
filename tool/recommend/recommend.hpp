// Which sort to use: the best measured one, and how sure that is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/input/wanted.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/record/summary.hpp"

namespace sortlab {

/// The question: the data to sort, its place, and the allowed means.
struct Question {
  std::size_t n = 0;
  KeyType key_type = KeyType::u32;
  bool pairs = false;
  std::string order = "asc";
  Distribution dist;
  int max_threads = 1;
  Memory where = Memory::host;  // host: a GPU sort's copies to the device and back count too
  std::string devices;    // as devices_text(): GPUs that share the keys; "": one memory has all
  bool stable = false;    // pairs with equal keys keep their order
  Lengths lengths;        // of segments that are sorted each for itself; none: all keys together
  Wanted best;            // instead of a sort: which items of each row, or of all keys
  bool in_place = false;  // these come to the front of one array
  std::optional<std::size_t> max_memory;     // bytes beyond the keys and values themselves
  std::string input, input_format = "auto";  // the file with the keys, or ""

  /// "1000000 u64 keys, zipf:1.0, descending, on the host".
  std::string text() const;
};

/// One way to sort, as the measurements see it at the question's n.
struct RankedSort {
  CsvRow config;                     // of one of its rows: variant, threads, params, ...
  double time_ns = 0;                // median
  Interval interval;                 // of the median, 95 %
  std::size_t from_n = 0, to_n = 0;  // the sizes measured: n itself, or its neighbours
  std::size_t samples = 0;           // the fewer of the two
  std::string measured_utc;          // the older of the two
  double busy_cpus = 0;              // that other programs kept busy meanwhile
  /// The samples, a block per round; none for a size between two measured ones.
  std::vector<std::vector<double>> blocks_ns;
  bool among_many = false;  // whether others of the ranking have many threads

  /// "cpu/radix/parallel, 2 threads": everything that distinguishes it from other ways.
  std::string name() const;
};

/// The candidates among `rows`, fastest first: hot caches, no pinned threads, at most max_threads
/// of them, stable where that is asked for, with no more extra memory than allowed. A size between two measured ones, at most a factor of 16 apart, is interpolated on log
/// scales; none is extrapolated.
std::vector<RankedSort> rank_candidates(const Question& question,
                                        const std::vector<SummaryRow>& rows);

/// The least n measured from which on sorts over the question's GPUs are faster than those on one of them, which are candidates,
/// too; none if they are not.
std::optional<std::size_t> several_gpus_pay_from(const Question& question,
                                                 const std::vector<SummaryRow>& rows);

/// The answer for people. `ranked` is not empty.
std::string readable_recommendation(const Question& question,
                                    const std::vector<RankedSort>& ranked);

/// All candidates as CSV, fastest first. Throws BadInput when it can't be written.
void write_recommendation(const std::string& path, const Question& question,
                          const std::vector<RankedSort>& ranked);

/// The rows of the CSV files, and of those in folders, that were measured on this machine with
/// variants of this program. The device and the library versions must be the same, and a run.json
/// beside the file must describe this CPU with as many threads. Warnings on stderr name the
/// unusable rows. Throws BadInput for a path that does not exist and for a malformed run.json.
CsvTable rows_of_this_machine(const std::vector<std::string>& paths);

/// The file of measurements for recommendations, below $XDG_CACHE_HOME or ~/.cache: one per
/// machine, because machines may share a home folder. "" when neither variable is set. A run.json
/// beside it says which build measured.
std::string recommendation_cache();

/// The rows of the cache that this build measured on this machine in the last 30 days. Sets
/// `expired` to the number of configurations left out and the reasons; "" for none.
CsvTable fresh_rows(const std::string& cache, std::string& expired);

/// Measures for the question. First all variants sort at most 256K keys, which takes a second or
/// two. Then the promising ones sort all keys, in turns, for `seconds` in total (longer if few
/// samples take that long); those with several threads are also measured with fewer. Adds the rows
/// to the cache, in place of older ones of the same configurations, and returns them; none after
/// Ctrl-C. If the cache can't be written, it only prints a warning.
CsvTable measure_for(const Question& question, double seconds, const std::string& cache);

}  // namespace sortlab

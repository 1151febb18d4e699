// The published tables, figures and claims, as data: bench/papers/*.json, one file per paper.
//
//   {"cite": ..., "title": ..., "authors": ..., "date": ..., "url": ..., "machine": ...,
//    "measure": {...},
//    "exhibits": [{"id": ..., "title": ..., "place": ..., "note": ..., "measure": {...},
//                  "columns": [{"column": <label>, <measure>}],
//                  "rows": [{"row": <label>, "published": [<number or null>...], <measure>}],
//                  "claims": [{"claim": ..., "edition": ..., "note": ..., "need": "all" or "most",
//                              "measure": {...}, "columns": [...], "rows": [...]},
//                             {"claim": ..., "verdict": <which>, "reason": ..., "gpu": ...}]}],
//    "contradictions": [{"edition": ..., "contradiction": ..., "lines": [...]}]}
//
// A claim without rows is one that no measurement of this program decides: arithmetic does, counters of a profiler on
// the GPU that is named, or nothing ("open").
//
// A cell's measurement is combined from the <measure> of the paper, the exhibit, the claim, the
// column and the row; later ones override earlier ones. A list in a row holds one value per column.
// The keys are the members of Subject and Cell below, and also "small_n" and "small_sizes", which
// replace "n" and "sizes" at small scale, and "within": 0.1, which sets bounds of a tenth around
// the published value. "against" and "beside" hold what differs from the cell's own measure. An exhibit with "of": <id> shows the cells of another one: the named
// "columns", in the given "unit".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortlab::reproduce {

/// Sizes as published, or for a laptop or CI.
enum class Scale : std::uint8_t { full, small };

/// The kind of a cell's figure.
enum class Quantity : std::uint8_t {
  total,             // a time, total_and_alloc to h2d too: the median over the samples
  total_and_alloc,   // with the allocations on the device
  kernel,            // the sort alone, without copies and without work of the host
  host,              // the host's work inside of a GPU sort
  total_from_host,   // total, less what the sort spends on neither the host's work nor `activity`
  copies,            // to the device and back
  h2d,               // to the device
  copy_share,        // copies of total, in %
  launches,          // of the kernel `activity`, or of all kernels, by one sort
  share,             // of the kernel or copy `activity` in the device's busy time, in %
  share_ratio,       // that share over the one in `against`
  activity_time,     // of the kernel `activity` in one sort
  activity_speedup,  // the time of the activity in `against` over the cell's own
  idle_share,        // of the kernel time in which no kernel runs, in %: a cost of launches
  bandwidth_share,   // of the device's copy bandwidth, if each key moves bytes_per_key, in %
  speedup,           // the time of `against` over the cell's own
  speedup_ratio,     // that speedup over the one of `beside`
  crossover,         // the keys up to which the cell's sort is faster than `against`
  kernel_at_bandwidth,  // kernel time times (this device's copy bandwidth / bandwidth_gb_s)
};

/// One configuration for a paper's table. `n` depends on the scale.
struct Subject {
  std::string variant;
  std::size_t n = 0;
  std::size_t published_n = 0;  // that of the paper
  std::string type;
  std::string dist;
  std::string host_mem;
  std::string params;  // "name=value,...": parameters other than the variant's defaults
  Quantity time = Quantity::total;
};

struct Cell {
  std::string row;
  std::string column;
  std::string unit;  // s, ms, us, ns/key, Melem/s, x, %, launches, keys
  std::optional<double> published;
  Quantity quantity = Quantity::total;
  Subject subject;
  std::optional<Subject> against;
  std::vector<Subject> beside;     // of a speedup_ratio: a cell and its own `against`
  std::vector<std::size_t> sizes;  // of a crossover, in place of subject.n
  std::string activity;
  std::string against_activity;
  double bandwidth_gb_s = 0;
  double bytes_per_key = 0;
  bool reduced = false;         // measured at other sizes than published
  std::optional<double> least;  // a claim's check: where the measured figure must lie
  std::optional<double> most;
};

enum class Verdict : std::uint8_t { confirmed, refuted, open };

/// A sentence of the paper, and the checks it must pass to be confirmed: all of them, or more than
/// half. Without checks, the verdict is in the data.
struct Claim {
  std::string text;
  std::string source;  // "Goralija et al., Bosnian edition"
  std::string note;
  bool need_all = true;
  std::vector<Cell> checks;
  Verdict verdict = Verdict::open;
  std::string reason;
  std::string gpu;  // the verdict is of this GPU; "": of none
};

/// Lines of one paper that can't all be true.
struct Contradiction {
  std::string source;
  std::string text;
  std::vector<std::string> lines;
};

struct Exhibit {
  std::string id;
  std::string title;
  std::string source;   // "Fraidakis 2025"
  std::string place;    // "table 2"
  std::string machine;  // that the figures were published for
  std::string note;
  std::vector<Cell> cells;
  std::vector<Claim> claims;

  /// All cells and all checks of its claims.
  std::vector<const Cell*> all_cells() const;
};

/// The exhibits of one paper. Throws std::runtime_error, which names the place, for a file that
/// breaks the format.
std::vector<Exhibit> parse_paper(std::string_view json, Scale scale);

/// The contradictions of one paper. Throws as parse_paper() does.
std::vector<Contradiction> parse_contradictions(std::string_view json);

/// The exhibits of all papers, which are embedded in the program.
std::vector<Exhibit> all_exhibits(Scale scale);
std::vector<Contradiction> all_contradictions();

/// The exhibits with these ids, each once, in the given order; "all" stands for all. Throws BadInput.
std::vector<Exhibit> select_exhibits(const std::vector<std::string>& ids, Scale scale);

/// `ns` for n keys in a unit of time, or of time and keys. Throws std::out_of_range for others.
double in_unit(double ns, std::size_t n, std::string_view unit);

/// Whether the unit is one of in_unit().
bool is_unit_of_time(std::string_view unit);

/// Whether figures for different n may be compared: a cost per key, or a quotient.
bool is_free_of_size(std::string_view unit);

/// Whether the figure comes from the profiler, and whether it comes from the clocks.
bool needs_profiler(Quantity quantity);
bool needs_clocks(Quantity quantity);

/// The configurations that the cell's figure is made of.
std::vector<Subject> subjects_of(const Cell& cell);

}  // namespace sortlab::reproduce

// The content of a report: everything on the page, as numbers, before it is drawn.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/harness/record/csv.hpp"
#include "tool/crossing.hpp"

namespace sortlab::report {

/// The place of the data, and its way to the sort.
enum class Where { host, device, graph, copies };

/// A phase of a sort, in nanoseconds; absent where it was not measured.
enum Phase { kAlloc, kH2d, kKernel, kHost, kD2h, kPhaseCount };
using Phases = std::array<std::optional<double>, kPhaseCount>;

struct Machine {
  std::string name;       // "NVIDIA H200 + Intel Xeon (Emerald Rapids), 16 threads"
  std::string cpu;        // the `device` column of host sorts; "" when unknown
  std::string gpu;        // and of device sorts; "" when it has none or none was used
  std::string core;       // "family 26, model 2": tells CPUs of one name apart; "" when unknown
  std::string core_name;  // "Zen 5"
  int threads = 0;        // 0: unknown
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, for people
  std::vector<std::string> files;                          // names of the CSVs that tell of it
};

/// The conditions under which variants compete.
struct Place {
  std::size_t machine = 0;
  Where where = Where::host;
  std::string host_mem;  // "none", "pageable", "pinned", "staged"
  std::string keys;      // "u32", "u64 + u32, descending"
  std::string input;     // "uniform", "zipf 0.75, cold cache, load 8"
  std::size_t n = 0;

  bool operator==(const Place&) const = default;
  auto operator<=>(const Place&) const = default;
};

/// The file of measurements, and the revision of the program that took them.
struct Source {
  std::string csv, revision;  // "" when unknown

  bool operator==(const Source&) const = default;
};

/// One of several measurements of a configuration.
struct Measurement {
  std::string since;  // UTC of its first sample
  std::size_t source = 0;
  double median_ns = 0, low_ns = 0, high_ns = 0;
};

/// A configuration that was measured with correct results.
struct Point {
  Place place;
  std::string variant;
  std::string config_id;
  std::string since;  // UTC of its first sample
  int threads = 0;
  std::string setting;  // its parameters: "threads=256;items=8"
  std::size_t samples = 0;
  double median_ns = 0;
  double low_ns = 0;  // the median's 95 % interval
  double high_ns = 0;
  double copy_share = 0;      // of the copy bandwidth, 1 = all of it; 0: unknown
  double keys_per_joule = 0;  // 0: not measured
  Phases phases;
  std::size_t source = 0;            // in Report::sources
  std::vector<Measurement> earlier;  // of the same configuration, the oldest first
  bool of_papers = false;            // measured for an exhibit only

  bool leads = false;                 // the fastest setting of this variant in this place
  std::optional<std::size_t> before;  // of leads: the point of the rung below
  double gain = 0;                    // over that one: how many times faster
};

/// Configurations of one variant without a time, for one reason.
struct Failure {
  std::size_t machine = 0;
  std::string variant, status, reason;
  std::size_t configurations = 0;
  std::size_t n_low = 0, n_high = 0;

  bool operator==(const Failure&) const = default;
};

/// A range of n in which one variant is the fastest, or the suite's own choice is as fast as any.
/// If `lacking` is not empty, too few variants were measured to name one, and `best` is empty.
struct Choice {
  std::size_t machine = 0;
  Where where = Where::host;
  std::string keys, input;
  int threads = 0;  // of the host, at most
  std::size_t n_low = 0, n_high = 0;
  std::string best;
  int best_threads = 0;
  double rate_low = 0, rate_high = 0;      // keys per second, the lowest and highest in the range
  std::vector<std::string> next;           // the runners-up; empty: nothing else was measured
  double margin_low = 0, margin_high = 0;  // over the next: 0.1 = it takes 10 % longer
  bool in_doubt = false;                   // somewhere in it the two 95 % intervals overlap
  std::vector<std::string> peers;          // the fastest of other projects' sorts; empty: none
  double over_peer_low = 0, over_peer_high = 0;  // its time over the best's: 2 = twice as fast
  std::size_t rivals_low = 0;                    // variants compared, at the n with the fewest
  bool both_sides = true;            // Where::copies: host sorts were measured there too
  std::vector<std::string> lacking;  // main candidates that were not measured
};

/// From which n on the GPU is faster than the best host sort.
struct Crossover {
  std::size_t machine = 0;
  Where where = Where::device;  // or copies
  std::string keys, input;
  Crossing crossing;
};

/// A device's activities during one sort, kernel by kernel.
struct KernelStack {
  struct Part {
    std::string name;
    double launches = 0, ns = 0, share = 0;
  };
  Place place;
  std::string variant, setting;
  std::vector<Part> parts;
};

struct Report {
  std::vector<Machine> machines;
  std::vector<Source> sources;
  std::vector<Point> points;
  std::vector<Failure> failures;
  std::vector<Choice> choices;
  std::vector<Crossover> crossovers;
  std::vector<KernelStack> kernels;
  std::vector<CsvRow> exhibits;  // cells, with the fields of their CSV
};

}  // namespace sortlab::report

// The CSV: one row per sample, flushed after each. The same command resumes an interrupted run.
#pragma once

#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/config.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/file_lock.hpp"

namespace sortlab {

inline constexpr int kSchemaVersion = 1;

/// The names of the CSV's columns, in order.
const std::vector<std::string>& csv_columns();

/// Whether a file's first line names these columns. It may lack those that the schema got later.
bool is_header_of(const std::vector<std::string>& line, const std::vector<std::string>& columns);

/// All complete rows of a file that runs have appended to, by column name.
struct CsvTable {
  std::vector<CsvRow> rows;
};
/// Whether this is the first line of a CSV of this schema.
bool is_header_of_samples(std::string_view line);

/// Reads a CSV of this schema, packed (*.csv.xz) or not. A last line without a line break is left
/// out, because a killed run did not complete it. Throws BadInput for any other file, and for one
/// with a row of the wrong width or with text in a column of numbers.
CsvTable read_csv(const std::string& path);

/// Reads the complete rows of a CSV from any source, for commands that only evaluate results. Lines
/// that read_csv() would leave out or throw for are skipped, and so are empty files and files of
/// another schema. `warnings` gets one line per file with skipped content: its path, the place, the
/// reason and the amount. Throws BadInput only for a file that can't be read.
CsvTable read_whole_rows(const std::string& path, std::vector<std::string>& warnings);

/// Writes a table and its header, as write_file() does.
void write_csv(const std::string& path, const CsvTable& table);

/// Appends rows to a CSV file ("-" for stdout, "" for none), which no other recorder may write
/// meanwhile. An existing file is continued: completed() knows its complete blocks of samples. The
/// rows of a planned configuration's interrupted block are removed, because it is measured again
/// from its first sample. The same holds for a block whose worker was killed. On a device, such as
/// /dev/null, all rows are written.
class Recorder {
 public:
  using PlannedIds = std::optional<std::set<std::string>>;  // config_ids; nothing: all

  /// `again` removes all rows of the planned configurations first. Throws BadInput when the file
  /// has another schema (it is left untouched), can't be written, is named *.xz, is a pipe or has
  /// another recorder. Also throws BadInput when only its packed form, path.xz, exists.
  Recorder(std::string path, std::string run_id, const PlannedIds& planned = {},
           bool again = false);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Whether this many blocks of samples are complete, or a row says why there will be no more.
  bool completed(const std::string& config_id, int blocks = 1) const;
  /// How many samples of a configuration are there.
  int samples(const std::string& config_id) const;

  void add_sample(const Config& config, const Sample& sample);
  /// All rows: those that the file held, and those added since.
  const CsvTable& table() const { return table_; }

  /// A row without a sample: skipped, failed, timeout or oom, with its reason.
  void add_outcome(const Config& config, const Outcome& outcome);

 private:
  struct Held {
    int blocks = 0;  // that have ended
    int samples = 0;
    bool given_up = false;
  };

  void resume(const PlannedIds& planned, bool again);
  void add(CsvRow row);
  void write_row(const Config& config, const Sample* sample, const Outcome& outcome);
  void write_line(const std::vector<std::string>& fields);

  std::string path_;
  std::string run_id_;
  std::optional<FileLock> lock_;
  std::map<std::string, Held> held_;  // by config_id
  CsvTable table_;
  std::FILE* file_ = nullptr;
};

/// "2026-11-21T06:30:49Z"
std::string utc_timestamp();

}  // namespace sortlab

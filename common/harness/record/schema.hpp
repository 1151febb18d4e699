// The schema of the CSV: its columns today, and the conversion of files of older schemas.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sortlab {

/// Version 2 added columns for jobs other than sorting, for several devices or ranks, and for what
/// else the machine did; version 3 the load that sortlab makes, and the CPUs that were free; version 4 the
/// counters. No column ever changed its meaning.
inline constexpr int kSchemaVersion = 4;

/// The names of the CSV's columns, in order.
const std::vector<std::string>& csv_columns();

/// The columns of files with one header, compared with those of today.
class Schema {
 public:
  /// The schema that has this header. `today` is the header that this build writes for such a file:
  /// csv_columns(), or the columns of another CSV that holds all of a configuration's. Empty if no
  /// version has this header.
  static std::optional<Schema> of_header(const std::vector<std::string>& header,
                                         const std::vector<std::string>& today);

  int version() const { return version_; }
  std::size_t width() const { return width_; }

  /// Converts the fields of a row of this schema to a row of today's. Added columns take the value
  /// that every older measurement had: job is `sort`, load is 0, the rest is empty.
  std::vector<std::string> as_today(const std::vector<std::string>& fields) const;

 private:
  Schema(int version, const std::vector<std::string>& header,
         const std::vector<std::string>& today);

  int version_;
  std::size_t width_;
  std::vector<std::size_t> places_;  // of each of today's columns in a row; width_: it is not there
  std::vector<std::string> usual_;   // the value if it is not there
};

}  // namespace sortlab

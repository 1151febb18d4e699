// Turns rows into points: a configuration's samples become one median, in the place where it
// competes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/harness/record/record.hpp"
#include "common/tool/report/machines.hpp"
#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// The place of a row's sort. Works for every table with the configuration's columns.
Place place_of(const std::map<std::string, std::string>& row, std::size_t machine);

/// Adds the points and failures of files to a report.
class Points {
 public:
  Points(Machines& machines, Report& report) : machines_(machines), report_(report) {}

  /// Adds one file's rows. Points of a configuration that the report holds already (the same machine,
  /// the same config_id) are merged: the later times count, the earlier ones are its history, and a
  /// known energy is kept. `of_papers`: the file belongs to exhibits.
  void add(const CsvTable& table, const std::string& csv, bool of_papers);

 private:
  void add_or_merge(Point point);

  Machines& machines_;
  Report& report_;
  std::map<std::pair<std::size_t, std::string>, std::size_t>
      places_;  // machine, config_id: in report_.points
};

/// Marks in each place the fastest setting of each variant.
void mark_leaders(std::vector<Point>& points);

}  // namespace sortlab::report

// From rows to points: a configuration's samples become one median, in the place it competes in.
#pragma once

#include <vector>

#include "common/harness/record/record.hpp"
#include "common/tool/report/machines.hpp"
#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// Where a row's sort took place. Works for every table with the configuration's columns.
Place place_of(const std::map<std::string, std::string>& row, std::size_t machine);

/// Adds the points and failures of one file's rows. Points of a configuration that the report holds
/// already (the same machine, the same config_id) are merged: the later times count, and energy
/// stays known; the earlier ones are its history. `of_papers`: the file belongs to exhibits.
void add_points(const CsvTable& table, const std::string& csv, bool of_papers, Machines& machines,
                Report& report);

/// Marks in each place the fastest setting of each variant.
void mark_leaders(std::vector<Point>& points);

}  // namespace sortlab::report

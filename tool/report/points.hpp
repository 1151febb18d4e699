// Turns rows into points: a configuration's samples become one median, in the place where it
// competes. And the order of a ladder's rungs, and the gain of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/harness/record/record.hpp"
#include "tool/report/machines.hpp"
#include "tool/report/model.hpp"

namespace sortlab::report {

/// The place of a row's sort. Works for every table with the configuration's columns.
Place place_of(const CsvRow& row, std::size_t machine);

/// Adds the points and failures of one file's rows. Points of a configuration that the report holds
/// already (the same machine, the same config_id) are merged: the later times count, the earlier
/// ones are its history, and a known energy is kept. `of_papers`: the file belongs to exhibits.
void add_points(const CsvTable& table, const std::string& csv, bool of_papers, Machines& machines,
                Report& report);

/// Marks in each place the fastest setting of each variant.
void mark_leaders(std::vector<Point>& points);

/// plots/looks.json with the rungs of each known ladder: how variants look on the page.
std::string looks_json();

/// The rung below, as the variant's Info says. An unknown ladder is assumed to have the rungs that
/// all algorithms begin with. "" for the lowest, and for unknown names.
std::string rung_below(std::string_view variant);

/// Sets `before` and `gain` of each leading point: over the nearest rung below it that was measured
/// in the same place.
void find_gains(std::vector<Point>& points);

}  // namespace sortlab::report

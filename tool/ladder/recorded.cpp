#include "tool/ladder/recorded.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "common/choose/embedded.hpp"
#include "common/harness/record/csv.hpp"
#include "tool/list/catalogue.hpp"

namespace sortlab {
namespace {

RecordedRung rung_of(const CsvRow& row) {
  RecordedRung rung{row.at("variant"),
                    row.at("machine"),
                    row.at("device"),
                    std::stoi(row.at("threads")),
                    std::stoul(row.at("n")),
                    std::stod(row.at("median_ns")),
                    row.at("revision"),
                    {},
                    {}};
  if (!row.at("gain").empty()) {
    rung.gain = {std::stoul(row.at("gain_n")), std::stod(row.at("gain")), row.at("gain_revisions")};
  }
  if (!row.at("launches").empty()) {
    rung.profile = {std::stoul(row.at("launches_n")), std::stod(row.at("launches")),
                    row.at("busiest"), std::stod(row.at("busiest_share"))};
  }
  return rung;
}

/// How complete a machine's record of a ladder is.
std::pair<std::size_t, int> weight(const std::vector<RecordedRung>& rungs) {
  int threads = 0;
  for (const auto& rung : rungs) threads = std::max(threads, rung.threads);
  return {rungs.size(), threads};
}

}  // namespace

std::vector<RecordedRung> recorded_rungs(std::string_view ladder) {
  std::map<std::string, std::vector<RecordedRung>> machines;
  for (const auto& [number, row, fault] : csv_in(embedded_file("tool/ladder/recorded.csv")).lines) {
    if (ladder_of(row.at("variant")) == ladder) machines[row.at("machine")].push_back(rung_of(row));
  }
  std::vector<std::vector<RecordedRung>> by_weight;
  for (const auto& [machine, rungs] : machines) by_weight.push_back(rungs);
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [](const auto& a, const auto& b) { return weight(a) > weight(b); });
  std::vector<RecordedRung> chosen;
  std::set<std::string> known;
  for (const auto& rungs : by_weight) {
    for (const auto& rung : rungs) {
      if (known.insert(rung.variant).second) chosen.push_back(rung);
    }
  }
  return chosen;
}

}  // namespace sortlab

#include "tool/run/titles.hpp"

#include <fmt/format.h>

#include <map>

#include "common/contract/numbers.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/record/row_numbers.hpp"

namespace sortlab {

std::string input_title(const SummaryRow& row) {
  const auto& c = row.config;
  std::string title = name_of_types(c.at("key_type"), whole_in(c, "value_bytes"), " + ");
  if (c.at("order") != "asc") title += ", descending";
  title += ", " + c.at("dist");
  if (!c.at("dist_param").empty()) title += " " + c.at("dist_param");
  if (!c.at("lengths").empty()) title += ", segments " + c.at("lengths");
  if (!c.at("best").empty()) title += ", best " + c.at("best");
  if (c.at("load") != "0") title += ", load " + c.at("load");
  return title;
}

Side side_of(const SummaryRow& row) {
  const auto& c = row.config;
  const bool on_device = c.at("threads") == "0";
  if (on_device && c.at("host_mem") == "none") return Side::gpu;
  return on_device || c.at("variant").starts_with("gpu/") ? Side::gpu_with_copies : Side::cpu;
}

WayTitles::WayTitles(const std::vector<SummaryRow>& rows) {
  std::map<std::string, std::set<std::string>> params;
  for (const auto& row : rows) {
    many_threads_ |= whole_in(row.config, "threads") > 1;
    params[row.config.at("variant")].insert(row.config.at("params"));
  }
  for (const auto& [id, settings] : params) {
    if (settings.size() > 1) swept_.insert(id);
  }
}

std::string WayTitles::of(const SummaryRow& row) const {
  std::string title = row.config.at("variant");
  if (const auto threads = whole_in(row.config, "threads"); threads > 1) {
    title += fmt::format(" x{}", threads);
  } else if (threads == 1 && many_threads_) {
    title += " (1 thread)";
  }
  if (const auto& ranks = row.config.at("ranks"); !ranks.empty()) title += " ranks:" + ranks;
  if (const auto& devices = row.config.at("devices"); !devices.empty()) {
    title += " devices:" + devices;
  }
  if (swept_.contains(row.config.at("variant"))) title += " " + row.config.at("params");
  if (const auto& host_mem = row.config.at("host_mem"); host_mem != "none") title += " " + host_mem;
  if (const auto limit = parse_whole(row.config.at("memory_limit_bytes"))) {
    title += " gpu_mem:" + count_text(*limit);
  }
  if (const auto& launch = row.config.at("launch"); launch != "stream") title += " " + launch;
  return title;
}

double speed_of(const SummaryRow& row) {
  const std::size_t bytes = record_bytes_in(row.config);
  return bytes == 0 ? row.keys_per_s * 1e-6 : row.keys_per_s * static_cast<double>(bytes) * 1e-9;
}

std::string speed_unit(const SummaryRow& row) {
  return record_bytes_in(row.config) == 0 ? "million keys per second" : "GB per second";
}

std::string speed_title(double speed) {
  const int decimals = speed < 9.995 ? 2 : speed < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", speed, decimals);
}

std::string percent_title(double share) {
  const double percent = 100 * share;
  return percent > 999 ? ">999%" : fmt::format("{:.{}f}%", percent, percent < 0.95 ? 1 : 0);
}

std::string factor_title(double factor) {
  return fmt::format("{:.{}f}x", factor, factor < 1.995 ? 2 : factor < 99.5 ? 1 : 0);
}

}  // namespace sortlab

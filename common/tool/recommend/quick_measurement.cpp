// Measuring for one question, in seconds: a heat on few keys for everyone, a final for the best.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/contract/errors.hpp"
#include "common/harness/record/file_lock.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/loop.hpp"
#include "common/notes.hpp"
#include "common/tool/recommend/recommend.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kHeatSize = std::size_t{256} << 10;  // beyond L1, and quick for every sort
constexpr StopSettings kHeat{.min_samples = 3, .max_samples = 20, .accuracy = 0.02, .time_s = 0.02};
constexpr double kTimeout = 60;  // seconds, of one configuration

// Sorts of these kinds cross each other as n grows, so each kind has its own finalists.
enum class Kind { serial, parallel, device };
constexpr std::size_t kFinalists = 4;   // of a kind
constexpr double kFinalistsWithin = 4;  // times the best of its kind

Selection selection_of(const Question& question, std::size_t n) {
  const bool on_host = question.where == Memory::host;
  // On few keys the two are the same.
  const std::string from_host = n > kHeatSize ? "pageable,staged" : "pageable";
  Selection selection;
  selection.types = {std::string(name_of(question.key_type))};
  const auto& [dist, param] = question.dist;
  selection.dists = {param.empty() ? dist : dist + ":" + param};
  selection.sizes = {std::to_string(n)};
  selection.threads = {std::to_string(question.max_threads)};
  selection.values = {question.pairs ? "pairs" : "keys"};
  selection.host_mem = {on_host ? from_host : "none"};
  selection.order = question.order;
  return selection;
}

Kind kind_of(const Config& config) {
  if (config.threads == 0) return Kind::device;
  return config.threads > 1 ? Kind::parallel : Kind::serial;
}

std::vector<Config> configurations(const Question& question, std::size_t n) {
  std::vector<Config> configs;
  for (const auto& planned : plan(selection_of(question, n))) {
    const bool on_device = planned.config.threads == 0;
    const bool fits = on_device || question.where == Memory::host;
    if (fits && planned.skip_reason.empty()) configs.push_back(planned.config);
  }
  return configs;
}

/// The variants that may win on more keys, by their best times in the heat: of so few samples the
/// fastest is the one that the rest of the machine disturbed least.
std::set<std::string> finalists(const std::vector<Config>& configs, const CsvTable& heat) {
  std::map<std::string, double> times;
  for (const auto& row : summarize(heat)) {
    if (row.status == "ok") times[row.config.at("variant")] = row.min_ns;
  }
  std::map<Kind, std::multimap<double, std::string>> kinds;
  for (const auto& config : configs) {
    if (!times.contains(config.variant)) continue;
    kinds[kind_of(config)].emplace(times[config.variant], config.variant);
  }
  std::set<std::string> chosen;
  for (const auto& [kind, by_time] : kinds) {
    std::size_t taken = 0;
    for (const auto& [time, variant] : by_time) {
      if (taken++ == kFinalists || time > kFinalistsWithin * by_time.begin()->first) break;
      chosen.insert(variant);
    }
  }
  return chosen;
}

void add_to_cache(const std::string& cache, const CsvTable& measured) {
  const FileLock lock(cache);
  std::set<std::string> again;
  for (const auto& row : measured.rows) again.insert(row.at("config_id"));
  CsvTable all;
  if (std::filesystem::exists(cache)) {
    std::vector<std::string> broken;  // what is whole goes on, the rest was no use to anyone
    all = read_whole_rows(cache, broken);
  }
  std::erase_if(all.rows, [&](const auto& row) { return again.contains(row.at("config_id")); });
  all.rows.insert(all.rows.end(), measured.rows.begin(), measured.rows.end());
  write_csv(cache, all);
}

/// Does it, and says so when it can't. The answer doesn't depend on the cache.
template <class F>
bool could(F work) try {
  work();
  return true;
} catch (const std::exception& error) {
  note("{}; the rows are not kept\n", error.what());
  return false;
}

}  // namespace

CsvTable measure_for(const Question& question, double seconds, const std::string& cache) {
  const bool keeps = could([&] {
    if (cache.empty())
      throw BadInput("neither XDG_CACHE_HOME nor HOME says where rows can be kept");
    make_folder_of(cache);
    require_writable(cache);
  });
  watch_for_interrupts();
  auto configs = configurations(question, question.n);
  if (question.n > kHeatSize) {
    const auto heat = configurations(question, kHeatSize);
    const auto chosen = finalists(heat, measure_all(heat, kHeat, kTimeout).table);
    std::erase_if(configs, [&](const Config& c) { return !chosen.contains(c.variant); });
  }
  StopSettings stop;
  stop.time_s = seconds / static_cast<double>(std::max<std::size_t>(configs.size(), 1));
  const CsvTable measured = measure_all(configs, stop, kTimeout).table;
  if (interrupted()) return {};
  if (keeps) could([&] { add_to_cache(cache, measured); });
  return measured;
}

}  // namespace sortlab

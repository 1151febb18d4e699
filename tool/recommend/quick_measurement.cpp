// Measures for one question within seconds: a heat on few keys for all sorts, then a final for the
// best.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "common/contract/errors.hpp"
#include "common/contract/segments.hpp"
#include "common/contract/top_k.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/record/file_lock.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/loop.hpp"
#include "common/harness/task.hpp"
#include "common/notes.hpp"
#include "tool/recommend/certainty.hpp"
#include "tool/recommend/recommend.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kHeatSize = std::size_t{256} << 10;  // beyond L1, and quick for every sort
constexpr StopSettings kHeat{.min_samples = 3, .max_samples = 20, .accuracy = 0.02, .time_s = 0.02};
constexpr double kTimeout = 60;  // seconds, of one configuration
constexpr int kRounds =
    5;  // of the final: the first one for all, the others for those near the best
constexpr double kNear = 2;             // times the best of the first round
constexpr int kMostRoundsOfFinal = 15;  // while the first and others are too near to tell

// The order between these kinds of sorts changes as n grows, so each kind has its own finalists.
enum class Kind { serial, parallel, device, devices, both };
constexpr std::size_t kFinalists = 3;   // of a kind, and sorts that choose one of them
constexpr double kFinalistsWithin = 4;  // times the best of its kind

/// All threads, a half, a quarter, and one: on a busy machine fewer may be faster.
std::vector<std::string> thread_counts(int most, bool is_final) {
  std::set<int> counts = {1, most};
  if (is_final && most >= 4) counts.insert({most / 2, most / 4});
  std::vector<std::string> texts;
  for (const int count : counts) texts.push_back(std::to_string(count));
  return texts;
}

Selection selection_of(const Question& question, std::size_t n, bool is_final) {
  const bool on_host = question.where == Memory::host;
  // For few keys both are the same.
  const std::string from_host = n > kHeatSize ? "pageable,staged" : "pageable";
  Selection selection;
  selection.types = {std::string(name_of(question.key_type))};
  const auto& [dist, param] = question.dist;
  selection.input = question.input;
  selection.input_format = question.input_format;
  if (question.input.empty()) selection.dists = {param.empty() ? dist : dist + ":" + param};
  selection.sizes = {std::to_string(n)};
  selection.threads = thread_counts(question.max_threads, is_final);
  selection.values = {question.pairs ? "pairs" : "keys"};
  selection.host_mem = {on_host ? from_host : "none"};
  selection.order = question.order;
  if (!question.devices.empty()) selection.devices = {question.devices};
  if (question.best.is_asked) selection.best = {text_of(question.best)};
  if (!question.lengths.rule.empty()) selection.segments = {text_of(question.lengths)};
  if (question.best.is_asked || !question.lengths.rule.empty()) {
    for (const Variant& variant : all_variants()) {
      const bool is_one = question.in_place        ? variant.is<Partial>()
                          : question.best.is_asked ? variant.is<TopK>()
                                                   : variant.is<Segments>();
      if (is_one) selection.filters.push_back(variant.id);
    }
  }
  return selection;
}

Kind kind_of(const Config& config) {
  if (config.over_device_parts()) return Kind::devices;
  if (config.on_device()) return Kind::device;
  if (config.uses_gpu()) return Kind::both;
  return config.threads > 1 ? Kind::parallel : Kind::serial;
}

/// Whether a sort is worth measuring: its declared memory is at most the allowed memory.
bool may_answer(const Question& question, const Config& config) {
  if (question.stable && question.pairs && !config.stable) return false;
  if (!question.max_memory) return true;
  const Task task(config);
  return task.bytes_needed() - task.input_bytes() <= *question.max_memory;
}

std::vector<Config> configurations(const Question& question, std::size_t n, bool is_final) {
  std::vector<Config> configs;
  for (const auto& planned : plan(selection_of(question, n, is_final))) {
    const bool on_device = planned.config.threads == 0;
    const bool fits = on_device || question.where == Memory::host;
    if (!fits || !planned.skip_reason.empty()) continue;
    if (may_answer(question, planned.config)) configs.push_back(planned.config);
  }
  return configs;
}

/// A variant, and whether it gets one thread or many.
using Finalist = std::pair<std::string, Kind>;

/// The sorts that may win on more keys, by their best times in the heat. With so few samples the
/// fastest one is the least disturbed one.
std::set<Finalist> finalists(const std::vector<Config>& configs, const CsvTable& heat) {
  std::map<std::string, double> times;  // by configuration
  for (const auto& row : summarize(heat)) {
    if (row.status == "ok") times[row.config.at("config_id")] = row.min_ns;
  }
  std::map<Kind, std::multimap<double, const Config*>> kinds;
  for (const auto& config : configs) {
    const auto time = times.find(config.id());
    if (time != times.end()) kinds[kind_of(config)].emplace(time->second, &config);
  }
  std::set<Finalist> chosen;
  for (const auto& [kind, by_time] : kinds) {
    std::set<std::string> taken;
    for (const auto& [time, config] : by_time) {
      if (taken.size() == kFinalists || time > kFinalistsWithin * by_time.begin()->first) break;
      if (!chooses(config->algorithm())) taken.insert(config->variant);
      chosen.emplace(config->variant, kind);
    }
  }
  return chosen;
}

/// The first of the ranking and the others that may still win; in the order of the candidates.
template <class MayWin>
std::vector<Planned> first_and(const std::vector<RankedSort>& ranked,
                               const std::vector<Planned>& candidates, MayWin may_win) {
  if (ranked.empty()) return {};
  std::set<std::string> ids = {ranked.front().config.at("config_id")};
  for (const auto& other : ranked) {
    if (may_win(other)) ids.insert(other.config.at("config_id"));
  }
  std::vector<Planned> kept;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(kept),
               [&](const Planned& planned) { return ids.contains(planned.config.id()); });
  return kept;
}

/// Those that the first round leaves in the final.
std::vector<Planned> near_the_best(const Question& question, const CsvTable& round,
                                   const std::vector<Planned>& candidates) {
  const auto ranked = rank_candidates(question, summarize(round));
  return first_and(ranked, candidates, [&](const RankedSort& other) {
    return other.time_ns <= kNear * ranked.front().time_ns;
  });
}

/// The first of the ranking so far and those that may be faster; none if the answer is clear.
std::vector<Planned> still_undecided(const Question& question, const CsvTable& rounds,
                                     const std::vector<Planned>& candidates) {
  const auto ranked = rank_candidates(question, summarize(rounds));
  if (ranked.empty() || certainty_of(ranked) != Certainty::unclear) return {};
  return first_and(ranked, candidates, [&](const RankedSort& other) {
    return standing_of(ranked.front(), other) == Standing::unclear;
  });
}

/// Does the work, and prints a warning if that fails. The answer doesn't depend on the cache.
template <class F>
bool could(F work) try {
  work();
  return true;
} catch (const std::exception& error) {
  note("{}; the rows are not kept\n", error.what());
  return false;
}

/// Removes the descriptions of runs without any rows.
void describe_run(const std::string& cache, const CsvTable& all, const CsvTable& measured) {
  const std::string path = beside(cache, ".run.json");
  nlohmann::json runs = nlohmann::json::object();
  could([&] { runs = read_run_json(path); });
  std::set<std::string> known;
  for (const auto& row : all.rows) known.insert(row.at("run_id"));
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [id, run] : runs.items()) {
    if (known.contains(id)) kept[id] = run;
  }
  nlohmann::json now = describe_machine();
  now["started_utc"] = utc_timestamp();
  for (const auto& row : measured.rows) kept[row.at("run_id")] = now;
  write_file(path, kept.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

void add_to_cache(const std::string& cache, const CsvTable& measured) {
  const FileLock lock(cache);
  std::set<std::string> again;
  for (const auto& row : measured.rows) again.insert(row.at("config_id"));
  CsvTable all;
  if (std::filesystem::exists(cache)) {
    std::vector<std::string> broken;  // complete rows are kept, the rest is useless
    all = read_whole_rows(cache, broken);
  }
  std::erase_if(all.rows, [&](const auto& row) { return again.contains(row.at("config_id")); });
  all.rows.insert(all.rows.end(), measured.rows.begin(), measured.rows.end());
  write_csv(cache, all);
  describe_run(cache, all, measured);
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
  const std::size_t heat_n = std::min(question.n, kHeatSize);
  const auto heat = configurations(question, heat_n, false);
  note("a heat of all sorts on {} keys:\n", heat_n);
  CsvTable measured = measure_all(heat, kHeat, kTimeout).table;
  const auto chosen = finalists(heat, measured);
  std::vector<Planned> final;
  for (const auto& config : configurations(question, question.n, true)) {
    if (chosen.contains({config.variant, kind_of(config)})) final.push_back({config, ""});
  }
  StopSettings stop;
  stop.min_samples = 3;
  CsvTable rounds;
  std::vector<Planned> undecided = final;
  for (int done = 0; done < kMostRoundsOfFinal && !undecided.empty() && !interrupted();) {
    const int now = done == 0 ? 1 : done == 1 ? kRounds - 1 : kRounds;
    stop.time_s = seconds / (kRounds * static_cast<double>(undecided.size()));
    std::vector<Config> turns;
    for (const auto& planned : in_rounds(undecided, now)) turns.push_back(planned.config);
    note("the final on {} keys, {}:\n", question.n,
         done == 0 ? "round 1" : fmt::format("rounds {} to {}", done + 1, done + now));
    const CsvTable taken = measure_all(turns, stop, kTimeout).table;
    rounds.rows.insert(rounds.rows.end(), taken.rows.begin(), taken.rows.end());
    undecided = done == 0 ? near_the_best(question, rounds, undecided)
                          : still_undecided(question, rounds, undecided);
    done += now;
  }
  // For a small question the heat also answers for the sorts that are not in the final.
  std::set<std::string> in_final;
  for (const auto& planned : final) in_final.insert(planned.config.id());
  std::erase_if(measured.rows, [&](const auto& row) {
    return heat_n != question.n || in_final.contains(row.at("config_id"));
  });
  measured.rows.insert(measured.rows.end(), rounds.rows.begin(), rounds.rows.end());
  if (interrupted()) return {};
  if (keeps) could([&] { add_to_cache(cache, measured); });
  return measured;
}

}  // namespace sortlab

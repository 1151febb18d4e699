#include "common/harness/ranks/rank_processes.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace sortlab {

using nlohmann::json;

void RankProcesses::join_launcher() {
  if (const auto launched = launched_as()) {
    Config config;
    config.ranks = launched->ranks;
    start(config);
  }
}

void RankProcesses::start(const Config& config) {
  const bool fit = count_ == config.ranks && (threads_ == config.threads || launched_as());
  if (ranks_ && fit) return;
  ranks_.reset();
  ranks_ = std::make_unique<LaunchedRanks>(config.ranks, config.threads, timeout_s_);
  count_ = config.ranks;
  threads_ = config.threads;
}

Outcome RankProcesses::ask_about(const Task& task, json request, const OnAnswer& on_answer) {
  try {
    start(task.config);
  } catch (const std::runtime_error& error) {
    return {Status::failed, error.what()};
  }
  const Answered answered = ask(ranks_->process(), request, on_answer, timeout_s_, while_waiting_);
  if (answered.heard == Heard::outcome && !answered.ends) return answered.outcome;
  const auto ended = std::move(ranks_);
  switch (answered.heard) {
    case Heard::outcome:
      return answered.outcome;
    case Heard::timed_out:
      ended->stop();
      return {Status::timeout, fmt::format("not done after {} s", timeout_s_)};
    case Heard::foreign:
      return {Status::failed, ForeignMessage().what()};
    case Heard::hung_up:
      break;
  }
  return ended->autopsy();
}

}  // namespace sortlab

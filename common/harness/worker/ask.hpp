// What is asked of the processes that measure, and how their answers are read.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>

#include "common/harness/worker/measurer.hpp"
#include "common/harness/worker/process.hpp"

namespace sortlab {

using OnAnswer = std::function<void(const nlohmann::json&)>;

/// How the answers ended: with an outcome, as expected; with the end of the worker; with an unknown
/// message; with the time limit; or by the user.
enum class Heard { outcome, hung_up, foreign, timed_out };

struct Answered {
  Heard heard;
  Outcome outcome = {};
  bool ends = false;  // the worker ends after this outcome
};

/// Sends a request to the worker, and passes all answers up to the outcome to `on_answer`. Calls
/// `meanwhile`, unless it is empty, from time to time.
Answered ask(Process& worker, const nlohmann::json& request, const OnAnswer& on_answer,
             double timeout_s, const std::function<void()>& meanwhile = {});

/// What is asked about a task: to measure it, or, without a stop rule, to check it once.
struct TaskRequest {
  Config config;
  std::optional<StopSettings> stop = {};
};
void from_json(const nlohmann::json& json, TaskRequest& request);

/// Measures and checks by other processes, whatever the kind of their jobs.
class AskingMeasurer : public Measurer {
 public:
  AskingMeasurer(StopSettings stop, double timeout_s) : timeout_s_(timeout_s), stop_(stop) {}

  Outcome measure(const Task& task, const SampleSink& sink) override;
  Outcome check(const Task& task) override;
  void while_waiting(std::function<void()> work) override { while_waiting_ = std::move(work); }

 protected:
  /// Asks processes that fit the task, and passes what they answer to `on_answer`.
  virtual Outcome ask_about(const Task& task, nlohmann::json request,
                            const OnAnswer& on_answer) = 0;

  double timeout_s_;
  std::function<void()> while_waiting_;

 private:
  StopSettings stop_;
};

}  // namespace sortlab

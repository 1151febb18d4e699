// Sends one request to a worker and reads its answers.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "common/harness/measure/measure.hpp"
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

/// Reads the samples among a worker's answers.
OnAnswer hand_samples_to(const SampleSink& sink);

}  // namespace sortlab

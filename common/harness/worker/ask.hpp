// One question to a worker, and its answers.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "common/harness/measure/measure.hpp"
#include "common/harness/worker/process.hpp"

namespace sortlab {

using OnAnswer = std::function<void(const nlohmann::json&)>;

/// How the answers ended: with an outcome, as they should; with the end of the worker; with what it never
/// says; or with the time, or the user's patience.
enum class Heard { outcome, hung_up, foreign, timed_out };

struct Answered {
  Heard heard;
  Outcome outcome = {};
  bool ends = false;  // the worker does, after this outcome
};

/// Sends a request to the worker, and hands all answers up to the outcome to `on_answer`. Calls `meanwhile`,
/// if there is one, from time to time.
Answered ask(Process& worker, const nlohmann::json& request, const OnAnswer& on_answer,
             double timeout_s, const std::function<void()>& meanwhile = {});

/// Reads the samples among a worker's answers.
OnAnswer hand_samples_to(const SampleSink& sink);

}  // namespace sortlab

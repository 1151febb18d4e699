#include "common/harness/worker/ask.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/harness/run/interrupt.hpp"

namespace sortlab {

using nlohmann::json;

Answered ask(Process& worker, const json& request, const OnAnswer& on_answer, double timeout_s,
             const std::function<void()>& meanwhile) try {
  Channel& channel = worker.channel;
  if (!channel.send(request)) return {Heard::hung_up};
  const WorkingTime watch;
  while (true) {
    while (const auto message = channel.take()) {
      if (message->contains("outcome")) {
        return {Heard::outcome, message->at("outcome").get<Outcome>(), message->contains("ends")};
      }
      on_answer(*message);
    }
    const double left_s = timeout_s - watch.elapsed_s();
    if (left_s <= 0 || interrupted()) return {Heard::timed_out};
    if (meanwhile) meanwhile();
    // A process that a sort has forked may hold the socket open after the worker has ended.
    const bool ended = has_ended(worker.pid);
    const int patience_ms = ended ? 0 : static_cast<int>(std::min(0.2, left_s) * 1000) + 1;
    const Received received = channel.receive(patience_ms);
    if (received == Received::end_of_stream) return {Heard::hung_up};
    if (ended && received == Received::nothing) return {Heard::hung_up};
  }
} catch (const json::exception&) {
  return {Heard::foreign};
} catch (const ForeignMessage&) {
  return {Heard::foreign};
}

void from_json(const json& json, TaskRequest& request) {
  const bool measures = json.contains("measure");
  json.at(measures ? "measure" : "check").get_to(request.config);
  if (measures) request.stop = json.at("stop").get<StopSettings>();
}

Outcome AskingMeasurer::measure(const Task& task, const SampleSink& sink) {
  return ask_about(task, {{"measure", task.config}, {"stop", stop_}}, [&](const json& answer) {
    const auto sample = answer.at("sample").get<Sample>();
    if (!is_possible(sample)) throw ForeignMessage();
    sink(sample);
  });
}

Outcome AskingMeasurer::check(const Task& task) {
  return ask_about(task, {{"check", task.config}}, [](const json&) {});
}

}  // namespace sortlab

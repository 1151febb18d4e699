#include "common/harness/ranks/part_measure.hpp"

#include <fmt/format.h>

#include <array>

#include "common/harness/verify/check.hpp"

namespace sortlab {

Outcome first_trouble(Communicator& parts, const Outcome& own) {
  struct Sent {
    Status status;
    std::array<char, 240> reason;
  };
  Sent sent{own.status, {}};
  own.reason.copy(sent.reason.data(), sent.reason.size() - 1);
  const auto all = gathered(parts, sent);
  for (std::size_t part = 0; part < all.size(); ++part) {
    if (all[part].status == Status::ok) continue;
    return {all[part].status, fmt::format("rank {}: {}", part, all[part].reason.data())};
  }
  return {};
}

void throw_trouble(Communicator& parts, const Outcome& own) {
  if (const Outcome trouble = first_trouble(parts, own); trouble.status != Status::ok) {
    throw Trouble(trouble);
  }
}

Outcome measure_parts(const Task& task, Communicator& parts, const StopSettings& stop,
                      const SampleSink& sink, DeviceExchange* on_device) try {
  const int versions = versions_of(task.config);
  const InputPool inputs = InputPool::stand_ins(task.config, versions);
  return take_samples(
      task, {.versions = versions, .parts = &parts, .on_device = on_device}, stop, inputs,
      parts.part() == 0 ? sink : [](const Sample&) {});
} catch (const Trouble& trouble) {
  return trouble.outcome;
}

Outcome check_parts(const Task& task, Communicator& parts, DeviceExchange* on_device) try {
  const auto rig = make_rig(task, {.parts = &parts, .on_device = on_device});
  const std::string fault = fault_of_sorting(*rig, InputPool::stand_ins(task.config, 1).version(0));
  return fault.empty() ? Outcome{} : Outcome{Status::failed, fault};
} catch (const Trouble& trouble) {
  return trouble.outcome;
}

}  // namespace sortlab

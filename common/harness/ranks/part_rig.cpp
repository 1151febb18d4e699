#include "common/harness/ranks/part_rig.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/harness/rig/device.hpp"

namespace sortlab {

PartRig::PartRig(const Task& task, Communicator& parts, int versions, DeviceExchange* on_device)
    : task_(task),
      part_(task, parts),
      parts_(parts),
      versions_(static_cast<std::size_t>(versions)),
      memory_(task.on_device() ? make_part_on_gpu(task, part_, versions, *on_device)
                               : make_part_on_host(task, part_, versions)),
      job_{} {
  const Config& config = task.config;
  job_.instance = &task.instance;
  job_.n = part_.slice().count;
  job_.capacity = part_.needs().capacity;
  job_.all_n = config.n;
  job_.threads = config.threads;
  job_.isa = best_of(task.variant.info.isas, usable_isa());
  job_.params = &task.params;
  job_.parts = &parts_;
  job_.record = config.record;
  memory_->lend(job_);
}

void PartRig::share_alternates() { memory_->share_alternates(parts_, job_); }

void PartRig::restore(int rep) {
  version_ = static_cast<std::size_t>(rep) % versions_;
  memory_->restore(version_);
}

void PartRig::sort(Sample& sample) {
  struct Clocks {
    std::int64_t total_ns;
    std::optional<std::int64_t> kernel_ns;
    Exchanged exchanged;
  };
  Clocks own{};
  parts_.take();
  parts_.barrier();
  const Stopwatch watch;
  memory_->begin();
  result_ = task_.instance.sort_part(job_);
  own.kernel_ns = memory_->end();
  own.total_ns = watch.elapsed_ns();
  own.exchanged = together(parts_.take(), memory_->take_exchanged());
  own.exchanged.bytes += static_cast<std::int64_t>(result_.written_bytes);

  sample.total_ns = 0;
  Exchanged all;
  for (const Clocks& clocks : gathered(parts_, own)) {
    sample.total_ns = std::max(sample.total_ns, clocks.total_ns);
    sample.kernel_ns = std::max(sample.kernel_ns, clocks.kernel_ns);
    all.ns = std::max(all.ns, clocks.exchanged.ns);
    all.bytes += clocks.exchanged.bytes;
  }
  sample.exchange_ns = all.ns;
  sample.exchange_bytes = all.bytes;
}

void PartRig::judge(Sample& sample) {
  const auto [verdict, imbalance] = judged(parts_, memory_->report(result_, version_));
  sample.verdict = verdict;
  sample.imbalance = imbalance;
  sample.stop_reason = verdict.fault();
  const auto overruns = gathered(parts_, memory_->overrun());
  for (std::size_t part = 0; part < overruns.size(); ++part) {
    if (overruns[part] < 0) continue;
    sample.stop_reason = fmt::format("part {} wrote outside of its {}", part,
                                     kPartBuffers[static_cast<std::size_t>(overruns[part])]);
    break;
  }
  sample.failed = !sample.stop_reason.empty();
}

}  // namespace sortlab

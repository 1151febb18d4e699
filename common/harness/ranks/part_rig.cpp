#include "common/harness/ranks/part_rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/harness/ranks/part_measure.hpp"
#include "common/harness/rig/buffers.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

/// What a part sends the others beside the keys of its ends.
struct ItemsOfPart {
  Fingerprint before, after;
  std::uint64_t first_number, last_number;
  bool sorted;
  std::optional<bool> stable;
};

}  // namespace

Verdict judged(Communicator& parts, const Findings& own, const Fingerprint& before) {
  const auto sent = gathered(parts, ItemsOfPart{before, own.fingerprint, own.first.number,
                                                own.last.number, own.sorted, own.stable});
  std::vector<std::byte> own_keys = own.first.key;  // as long as those of the other parts
  own_keys.insert(own_keys.end(), own.last.key.begin(), own.last.key.end());
  const auto keys = gathered(parts, std::span<const std::byte>(own_keys));
  auto key = keys.begin();
  const auto next_end = [&](std::uint64_t number) {
    const auto size = static_cast<std::ptrdiff_t>(own.first.key.size());
    const auto begin = std::exchange(key, key + size);
    return End{{begin, key}, number};
  };
  std::vector<Findings> found;
  Fingerprint expected;
  for (const ItemsOfPart& part : sent) {
    expected = together(expected, part.before);
    Findings& of_part = found.emplace_back(Findings{part.after, part.sorted, part.stable});
    of_part.first = next_end(part.first_number);
    of_part.last = next_end(part.last_number);
  }
  return judged(found, expected);
}

PartRig::PartRig(const Task& task, const Setup& setup) : task_(task), parts_(*setup.parts) {
  std::optional<PartOfTask> part;
  throw_trouble(parts_, outcome_of([&]() -> Outcome {
                  part.emplace(task, parts_.parts(), parts_.part());
                  memory_ = task.on_device()
                                ? make_part_on_gpu(task, *part, setup.versions, *setup.on_device)
                                : make_part_on_host(task, *part, setup.versions);
                  return {};
                }));
  const Config& config = task.config;
  job_.instance = &task.instance;
  job_.n = part->slice().count;
  job_.capacity = part->needs().capacity;
  job_.all_n = config.n;
  job_.threads = config.threads;
  job_.isa = best_of(task.variant.info.isas, usable_isa());
  job_.params = &task.params;
  job_.parts = &parts_;
  job_.result = &result_;
  job_.record = config.record;
  memory_->attach(job_);
  memory_->share_alternates(parts_, job_);
  std::uint64_t bytes = part->provided_bytes();
  parts_.all_sum(std::span(&bytes, 1));
  provided_bytes_ = bytes;
}

bool PartRig::agreed(bool own) {
  return gathered(parts_, static_cast<std::uint8_t>(own)).front() != 0;
}

void PartRig::restore(const Input& input) { memory_->restore(version_of(input)); }

void PartRig::sort(Sample& sample) {
  struct Clocks {
    std::int64_t total_ns;
    std::optional<std::int64_t> kernel_ns;
    Exchanged exchanged;
    std::size_t n;
  };
  Clocks own{};
  parts_.take();
  parts_.barrier();
  const Stopwatch watch;
  memory_->begin();
  task_.instance.sort(job_);
  own.kernel_ns = memory_->end();
  own.total_ns = watch.elapsed_ns();
  own.n = result_.n;
  own.exchanged = together(parts_.take(), memory_->take_exchanged());
  own.exchanged.bytes += static_cast<std::int64_t>(result_.written_bytes);

  sample.total_ns = 0;
  Exchanged all;
  std::vector<std::size_t> sizes;
  for (const Clocks& clocks : gathered(parts_, own)) {
    sample.total_ns = std::max(sample.total_ns, clocks.total_ns);
    sample.kernel_ns = std::max(sample.kernel_ns, clocks.kernel_ns);
    all.ns = std::max(all.ns, clocks.exchanged.ns);
    all.bytes += clocks.exchanged.bytes;
    sizes.push_back(clocks.n);
  }
  sample.exchange_ns = all.ns;
  sample.exchange_bytes = all.bytes;
  sample.imbalance = imbalance_of(sizes).value_or(1);
}

Verdict PartRig::verdict(const Input& input) {
  return judged(parts_, memory_->look(result_), memory_->fingerprint_of(version_of(input)));
}

std::string PartRig::overrun() {
  const auto overruns = gathered(parts_, memory_->overrun());
  for (std::size_t part = 0; part < overruns.size(); ++part) {
    if (overruns[part] >= 0) return fmt::format("part {} {}", part, overrun_text(overruns[part]));
  }
  return "";
}

}  // namespace sortlab

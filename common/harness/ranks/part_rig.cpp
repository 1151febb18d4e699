#include "common/harness/ranks/part_rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/harness/ranks/part_verdict.hpp"

namespace sortlab {
namespace {

constexpr std::array kBuffers = {"",         "keys", "values", "alternate keys", "alternate values",
                                 "workspace"};

PartRequest request_of(const Task& task, const Communicator& parts) {
  return {task.config.n,           parts.parts(),       parts.part(), task.config.key_bytes(),
          task.config.value_bytes, task.config.threads, task.params};
}

}  // namespace

PartOfTask::PartOfTask(const Task& task, Communicator& parts)
    : item_bytes_(task.config.key_bytes() + task.config.value_bytes),
      request_(request_of(task, parts)),
      needs_(task.variant.part_needs(request_)) {}

Slice PartOfTask::slice() const {
  return {request_.begin(request_.part), request_.n(), request_.all_n};
}

std::size_t PartOfTask::provided_bytes() const {
  return 2 * needs_.capacity * item_bytes_ + needs_.workspace_bytes;
}

std::size_t PartOfTask::bytes_needed(int versions) const {
  return provided_bytes() + static_cast<std::size_t>(versions) * request_.n() * item_bytes_;
}

PartRig::PartRig(const Task& task, Communicator& parts, int versions)
    : task_(task), part_(task, parts), parts_(parts), job_{} {
  const Config& config = task.config;
  const std::size_t capacity = part_.needs().capacity;
  const auto alternate = [&](std::size_t bytes) {
    return part_.needs().shares_alternate ? GuardedBuffer::in_a_file(bytes) : GuardedBuffer(bytes);
  };
  keys_ = GuardedBuffer(capacity * config.key_bytes());
  alternate_keys_ = alternate(capacity * config.key_bytes());
  if (config.has_pairs()) {
    values_ = GuardedBuffer(capacity * config.value_bytes);
    alternate_values_ = alternate(capacity * config.value_bytes);
  }
  workspace_ = GuardedBuffer(part_.needs().workspace_bytes);
  for (int v = 0; v < versions; ++v) {
    inputs_.push_back(
        make_slice(config, config.seed + static_cast<std::uint64_t>(v), part_.slice()));
  }
  job_.instance = &task.instance;
  job_.keys = keys_.data();
  job_.values = values_.data();
  job_.alternate_keys = alternate_keys_.data();
  job_.alternate_values = alternate_values_.data();
  job_.n = part_.slice().count;
  job_.capacity = capacity;
  job_.all_n = config.n;
  job_.workspace = workspace_.span();
  job_.threads = config.threads;
  job_.isa = best_of(task.variant.info.isas, usable_isa());
  job_.params = &task.params;
  job_.parts = &parts_;
  job_.record = config.record;
}

void PartRig::share_alternates() {
  if (!part_.needs().shares_alternate) return;
  peers_keys_ = PeerBuffers(parts_, alternate_keys_);
  if (task_.config.has_pairs()) peers_values_ = PeerBuffers(parts_, alternate_values_);
  for (std::size_t part = 0; part < peers_keys_.data().size(); ++part) {
    const bool pairs = !peers_values_.data().empty();
    alternates_.push_back({peers_keys_.data()[part], pairs ? peers_values_.data()[part] : nullptr});
  }
  job_.alternates = alternates_;
}

void PartRig::restore(int rep) {
  version_ = static_cast<std::size_t>(rep) % inputs_.size();
  const Input& input = inputs_[version_];
  copy_bytes(keys_.data(), input.keys.data(), input.keys.size());
  copy_bytes(values_.data(), input.values.data(), input.values.size());
}

void PartRig::sort(Sample& sample) {
  parts_.take();
  parts_.barrier();
  const Stopwatch watch;
  result_ = task_.instance.sort_part(job_);
  const std::int64_t own_ns = watch.elapsed_ns();
  Exchanged exchanged = parts_.take();
  exchanged.bytes += static_cast<std::int64_t>(result_.written_bytes);

  struct Clocks {
    std::int64_t total_ns;
    Exchanged exchanged;
  };
  sample.total_ns = 0;
  Exchanged all;
  for (const Clocks& clocks : gathered(parts_, Clocks{own_ns, exchanged})) {
    sample.total_ns = std::max(sample.total_ns, clocks.total_ns);
    all.ns = std::max(all.ns, clocks.exchanged.ns);
    all.bytes += clocks.exchanged.bytes;
  }
  sample.exchange_ns = all.ns;
  sample.exchange_bytes = all.bytes;
}

void PartRig::judge(Sample& sample) {
  const bool in_data = result_.in == ResultIn::data;
  const PartItems items{in_data ? job_.keys : job_.alternate_keys,
                        in_data ? job_.values : job_.alternate_values,
                        std::min(result_.n, job_.capacity)};
  const Fingerprint& expected = inputs_[version_].fingerprint;
  const bool is_stable = task_.instance.traits.stable;
  const Config& config = task_.config;
  const auto [verdict, imbalance] =
      config.key_type == KeyType::record
          ? verify_parts_of_records(parts_, {items.keys, config.record}, items.n, expected,
                                    is_stable)
          : verify_parts(parts_, config.key_type, config.order, items, expected, is_stable);
  sample.verdict = verdict;
  sample.imbalance = imbalance;
  sample.stop_reason = verdict.fault();
  const auto overruns = gathered(parts_, overrun());
  for (std::size_t part = 0; part < overruns.size(); ++part) {
    if (overruns[part] == 0) continue;
    sample.stop_reason =
        fmt::format("part {} wrote outside of its {}", part, kBuffers[overruns[part]]);
    break;
  }
  sample.failed = !sample.stop_reason.empty();
}

std::size_t PartRig::overrun() const {
  const std::array buffers = {&keys_, &values_, &alternate_keys_, &alternate_values_, &workspace_};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i]->red_zones_intact()) return i + 1;
  }
  return 0;
}

}  // namespace sortlab

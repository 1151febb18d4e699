// The GPUs of ranks: which rank takes which, what it holds there, and how they send to each other.
#include "common/harness/ranks/rank_gpus.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "common/harness/ranks/part_measure.hpp"
#include "common/harness/ranks/part_memory.hpp"
#include "common/harness/ranks/staged_exchange.hpp"
#include "common/harness/rig/cuda/device_rig.hpp"
#include "common/harness/rig/cuda/nvidia_libraries.hpp"
#include "common/harness/rig/cuda/part_buffers.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace device {
namespace {

/// Measures what goes through another exchange: bytes to other parts, and time on the stream.
class MeteredExchange : public DeviceExchange {
 public:
  MeteredExchange(DeviceExchange& inner, int part) : inner_(inner), part_(part) {}

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in,
                Stream stream) override {
    if (used_ == spans_.size()) spans_.push_back(std::make_unique<Span>());
    const Span& span = *spans_[used_++];
    span.begin.record(stream);
    inner_.exchange(out, in, stream);
    span.end.record(stream);
    for (const Outgoing& message : out) {
      if (message.part != part_) bytes_ += static_cast<std::int64_t>(message.bytes);
    }
  }

  /// All exchanges since the last call, which must have ended.
  Exchanged take() {
    Exchanged sum{0, std::exchange(bytes_, 0)};
    for (std::size_t i = 0; i < used_; ++i) sum.ns += spans_[i]->end.ns_since(spans_[i]->begin);
    used_ = 0;
    return sum;
  }

 private:
  struct Span {
    Event begin, end;
  };
  DeviceExchange& inner_;
  int part_;
  std::int64_t bytes_ = 0;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Span>> spans_;
};

class PartOnGpu : public PartMemory {
 public:
  PartOnGpu(const Task& task, const PartOfTask& part, int versions, DeviceExchange& exchange)
      : task_(task), buffers_(task.config, part.needs(), 1, 0), exchange_(exchange, part.number()) {
    for (int v = 0; v < versions; ++v) {
      inputs_.push_back(make_input_slice(
          task.config, task.config.seed + static_cast<std::uint64_t>(v), part.slice()));
    }
    PartOnGpu::poison();
  }
  /// After a sort that threw, work may still be under way on any stream.
  ~PartOnGpu() override { (void)cudaDeviceSynchronize(); }

  void attach(ErasedPartJob& job) override {
    buffers_.attach(job);
    job.stream = buffers_.stream;
    job.copy_stream = buffers_.copy_stream_handles.front();
    job.on_device = &exchange_;
  }

  void restore(std::size_t version) override {
    buffers_.restore(inputs_[version]);
    buffers_.stream.wait();
  }
  void flush_caches() override {
    buffers_.flush_caches();
    buffers_.stream.wait();
  }

  void begin() override { buffers_.begin.record(buffers_.stream); }
  std::optional<std::int64_t> end() override {
    buffers_.end.record(buffers_.stream);
    buffers_.stream.wait();
    return buffers_.end.ns_since(buffers_.begin);
  }
  Exchanged take_exchanged() override { return exchange_.take(); }

  const Fingerprint& fingerprint_of(std::size_t version) const override {
    return inputs_[version].fingerprint;
  }
  Findings look(const PartResult& result) override {
    return buffers_.look(task_.config, result, task_.instance.traits.stable);
  }
  int overrun() override { return buffers_.first_overrun(); }
  void poison() override {
    buffers_.poison();
    buffers_.stream.wait();
  }

 private:
  const Task& task_;
  PartBuffers buffers_;
  MeteredExchange exchange_;
  std::vector<InputSlice> inputs_;
};

void copy_and_wait(void* to, const void* from, std::size_t bytes, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// Chooses this rank's GPU. Throws BadInput without one.
GpuIdentity choose_gpu(std::span<const int> hosts, int part) {
  if (const std::string& reason = device_unavailable(); !reason.empty()) throw BadInput(reason);
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  const int number = number_on_host(hosts, part) % count;
  check(cudaSetDevice(number), "cudaSetDevice");
  use_device(number);
  cudaDeviceProp all{};
  check(cudaGetDeviceProperties(&all, number), "cudaGetDeviceProperties");
  GpuIdentity gpu{hosts[static_cast<std::size_t>(part)], {}};
  static_assert(sizeof all.uuid.bytes == sizeof gpu.uuid);
  std::memcpy(gpu.uuid.data(), all.uuid.bytes, sizeof gpu.uuid);
  return gpu;
}

}  // namespace
}  // namespace device

std::unique_ptr<PartMemory> make_part_on_gpu(const Task& task, const PartOfTask& part, int versions,
                                             DeviceExchange& exchange) {
  return std::make_unique<device::PartOnGpu>(task, part, versions, exchange);
}

Outcome join_gpus(Ranks& ranks, RankGpu& gpu) {
  const auto hosts = gathered(ranks, ranks.first_on_host());
  GpuIdentity own{};
  const Outcome chosen = outcome_of([&]() -> Outcome {
    own = device::choose_gpu(hosts, ranks.part());
    return {};
  });
  if (const Outcome trouble = first_trouble(ranks, chosen); trouble.status != Status::ok) {
    return trouble;
  }
  gpu.sharers = most_on_a_gpu(gathered(ranks, own));
  if (gpu.sharers > 1) {
    gpu.exchange = std::make_unique<StagedExchange>(ranks, device::copy_and_wait);
    return {};
  }
  const std::string missing = device::nccl_missing();
  const Outcome loaded{missing.empty() ? Status::ok : Status::skipped, missing};
  if (const Outcome trouble = first_trouble(ranks, loaded); trouble.status != Status::ok) {
    return trouble;
  }
  return first_trouble(ranks, outcome_of([&]() -> Outcome {
                         gpu.exchange = device::make_nccl_exchange(ranks);
                         return {};
                       }));
}

std::string gpu_lacks_memory(std::size_t bytes, int sharers) {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  const std::size_t needed = bytes * static_cast<std::size_t>(sharers);
  if (needed <= free) return "";
  const double gib = 1.0 / (1u << 30);
  return fmt::format("its GPU needs {:.2f} GiB, {:.2f} are available",
                     static_cast<double>(needed) * gib, static_cast<double>(free) * gib);
}

}  // namespace sortlab

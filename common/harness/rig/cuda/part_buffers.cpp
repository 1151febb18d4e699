#include "common/harness/rig/cuda/part_buffers.hpp"

#include <algorithm>

namespace sortlab::device {
namespace {

void copy_async(const DeviceBuffer& to, const DeviceBuffer& from, cudaStream_t stream) {
  if (from.size() == 0) return;
  check(cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
}

void copy_to_host(void* to, const std::byte* d_from, std::size_t bytes) {
  check(cudaMemcpy(to, d_from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace

PartBuffers::PartBuffers(const Config& config, const PartNeeds& needs, std::size_t streams,
                         std::size_t misalign)
    : capacity(needs.capacity) {
  const auto buffer = [misalign](std::size_t n, std::size_t bytes) {
    return DeviceBuffer(n * bytes, misalign * bytes);
  };
  make_data(config, capacity, buffer);
  make_alternate(config, capacity, buffer);
  workspace = DeviceBuffer(needs.workspace_bytes);
  for (std::size_t i = 0; i < streams; ++i) {
    copy_streams.push_back(std::make_unique<OwnedStream>());
    copy_stream_handles.push_back(*copy_streams.back());
  }
  for (const DeviceBuffer* const buffer : all()) buffer->paint_red_zones(stream);
}

std::size_t PartBuffers::bytes() const {
  std::size_t sum = 0;
  for (const DeviceBuffer* const buffer : all()) sum += buffer->size();
  return sum;
}

void PartBuffers::restore(const InputSlice& input) const {
  copy_async(keys, input.keys, stream);
  copy_async(values, input.values, stream);
}

void PartBuffers::poison() const {
  if (!poison_is_wanted()) return;
  for (const DeviceBuffer* const buffer : all()) buffer->fill(kPoisonByte, stream);
}

int PartBuffers::first_overrun() const { return red_zones_.first_overrun(all(), stream); }

Findings PartBuffers::look(const Config& config, const PartResult& result,
                           bool claims_stable) const {
  const std::size_t n = std::min(result.n, capacity);
  const std::byte* const d_keys = result_keys(result.in).data();
  const std::byte* const d_values = result_values(result.in).data();
  Findings found = verifier_.look(config.key_type, config.order, d_keys,
                                  {d_values, config.value_bytes}, n, claims_stable, stream);
  const auto end_at = [&](std::size_t i) {
    std::byte key[sizeof(std::uint64_t)];
    std::uint64_t value = 0;  // the narrow ones fill its lower bytes
    if (n == 0) return end_of(config.key_type, config.order, nullptr, 0);
    copy_to_host(key, d_keys + i * config.key_bytes(), config.key_bytes());
    copy_to_host(&value, d_values + i * config.value_bytes, config.value_bytes);
    return end_of(config.key_type, config.order, key, value);
  };
  found.first = end_at(0);
  found.last = end_at(n - 1);
  return found;
}

}  // namespace sortlab::device

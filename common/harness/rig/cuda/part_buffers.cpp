#include "common/harness/rig/cuda/part_buffers.hpp"

#include <algorithm>
#include <cstdlib>

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
    : capacity(needs.capacity),
      keys(needs.capacity * config.key_bytes(), misalign * config.key_bytes()),
      alternate_keys(needs.capacity * config.key_bytes(), misalign * config.key_bytes()),
      workspace(needs.workspace_bytes) {
  if (config.has_pairs()) {
    values = DeviceBuffer(needs.capacity * config.value_bytes, misalign * config.value_bytes);
    alternate_values =
        DeviceBuffer(needs.capacity * config.value_bytes, misalign * config.value_bytes);
  }
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
  // compute-sanitizer's initcheck takes poisoned memory for initialized.
  static const bool unwanted = std::getenv("SORTLAB_NO_POISON") != nullptr;
  if (unwanted) return;
  for (const DeviceBuffer* const buffer : all()) buffer->fill(kPoisonByte, stream);
}

void PartBuffers::flush_caches() {
  if (other_data_.size() == 0) {
    int device = 0, l2_bytes = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device),
          "cudaDeviceGetAttribute");
    other_data_ = DeviceBuffer(4 * static_cast<std::size_t>(l2_bytes));
  }
  other_data_.fill(kPoisonByte, stream);
}

int PartBuffers::first_overrun() const { return red_zones_.first_overrun(all(), stream); }

PartReport PartBuffers::report(const Config& config, const PartResult& result,
                               const Fingerprint& before, bool claims_stable) const {
  const bool in_data = result.in == ResultIn::data;
  const std::size_t n = std::min(result.n, capacity);
  const std::byte* const d_keys = (in_data ? keys : alternate_keys).data();
  const std::byte* const d_values = (in_data ? values : alternate_values).data();
  const auto found = verifier_.look(config.key_type, config.order, d_keys, d_values, n, stream);
  PartReport report{before, found.fingerprint, found.sorted, {}, {}, {}};
  if (claims_stable && config.has_pairs()) report.stable = found.stable;
  const auto end_at = [&](std::size_t i) {
    std::byte key[sizeof(std::uint64_t)];
    std::uint32_t value = 0;
    if (n == 0) return end_of(config.key_type, config.order, nullptr, 0);
    copy_to_host(key, d_keys + i * config.key_bytes(), config.key_bytes());
    if (config.has_pairs()) copy_to_host(&value, d_values + i * sizeof value, sizeof value);
    return end_of(config.key_type, config.order, key, value);
  };
  report.first = end_at(0);
  report.last = end_at(n - 1);
  return report;
}

}  // namespace sortlab::device

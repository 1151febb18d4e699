#include "common/harness/rig/cuda/device_buffer.hpp"

#include <bit>
#include <cstdlib>
#include <utility>

#include "common/harness/rig/cuda/handles.hpp"

namespace sortlab::device {
namespace {

struct Zones {
  const std::byte* begin[2 * RedZoneCheck::kMostBuffers];
  std::size_t bytes[2 * RedZoneCheck::kMostBuffers];
};

/// Block z checks zone z and sets bit z of *found if a byte of it has changed.
__global__ void find_changed_zones(Zones zones, unsigned* found) {
  const auto* const zone = reinterpret_cast<const unsigned char*>(zones.begin[blockIdx.x]);
  for (std::size_t i = threadIdx.x; i < zones.bytes[blockIdx.x]; i += blockDim.x) {
    if (zone[i] != kRedZoneByte) atomicOr(found, 1u << blockIdx.x);
  }
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes, std::size_t misalign)
    : bytes_(bytes), misalign_(misalign) {
  check(cudaMalloc(reinterpret_cast<void**>(&base_), bytes + misalign + 2 * kRedZone),
        "cudaMalloc");
}

DeviceBuffer::~DeviceBuffer() {
  if (base_ != nullptr) (void)cudaFree(base_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(misalign_, other.misalign_);
  return *this;
}

void DeviceBuffer::paint_red_zones(cudaStream_t stream) const {
  if (base_ == nullptr) return;
  check(cudaMemsetAsync(base_, kRedZoneByte, kRedZone + misalign_, stream), "cudaMemsetAsync");
  check(cudaMemsetAsync(data() + bytes_, kRedZoneByte, kRedZone, stream), "cudaMemsetAsync");
}

void DeviceBuffer::fill(int byte, cudaStream_t stream) const {
  if (bytes_ > 0) check(cudaMemsetAsync(data(), byte, bytes_, stream), "cudaMemsetAsync");
}

void CacheFlush::flush(cudaStream_t stream) {
  if (other_data_.size() == 0) {
    int device = 0, l2_bytes = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device),
          "cudaDeviceGetAttribute");
    other_data_ = DeviceBuffer(4 * static_cast<std::size_t>(l2_bytes));
  }
  other_data_.fill(kPoisonByte, stream);
}

bool poison_is_wanted() {
  static const bool wanted = std::getenv("SORTLAB_NO_POISON") == nullptr;
  return wanted;
}

RedZoneCheck::RedZoneCheck() : found_(sizeof(unsigned)) {}

int RedZoneCheck::first_overrun(std::span<const DeviceBuffer* const> buffers,
                                cudaStream_t stream) const {
  Zones zones{};
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const DeviceBuffer& buffer = *buffers[b];
    if (buffer.base_ == nullptr) continue;
    zones.begin[2 * b] = buffer.base_;
    zones.bytes[2 * b] = DeviceBuffer::kRedZone + buffer.misalign_;
    zones.begin[2 * b + 1] = buffer.data() + buffer.bytes_;
    zones.bytes[2 * b + 1] = DeviceBuffer::kRedZone;
  }
  auto* const d_found = reinterpret_cast<unsigned*>(found_.data());
  found_.fill(0, stream);
  find_changed_zones<<<static_cast<unsigned>(2 * buffers.size()), 256, 0, stream>>>(zones, d_found);
  check(cudaGetLastError(), "launch of find_changed_zones");
  unsigned found = 0;
  check(cudaMemcpyAsync(&found, d_found, sizeof found, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return found == 0 ? -1 : std::countr_zero(found) / 2;
}

}  // namespace sortlab::device

#include "common/harness/rig/cuda/staged_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/contract/usable_cpus.hpp"
#include "common/threads/first_failure.hpp"
#include "common/threads/team.hpp"

namespace sortlab::device {
namespace {

constexpr std::size_t kMostThreads = 8;
constexpr std::size_t kMostSliceBytes = std::size_t{2} << 20;
constexpr std::size_t kLeastSliceBytes = std::size_t{256} << 10;
constexpr std::size_t kPage = 4096;

/// Two slices for each of kMostThreads threads, within limits: a slice must be worth a copy, and
/// the first and the last slice, which nothing overlaps, must not take long.
std::size_t slice_bytes_for(std::size_t bytes) {
  return std::clamp(round_up(bytes / (2 * kMostThreads), kPage), kLeastSliceBytes, kMostSliceBytes);
}

/// One thread per two slices, but at least two threads.
std::size_t thread_count_for(std::size_t slices) {
  const auto there_are = static_cast<std::size_t>(usable_cpus());
  return std::min({std::clamp<std::size_t>(slices / 2, 2, kMostThreads), slices, there_are});
}

}  // namespace

StagedCopy::StagedCopy(std::size_t first_bytes, std::size_t second_bytes)
    : slices_(first_bytes, second_bytes, slice_bytes_for(first_bytes + second_bytes)),
      carriers_(thread_count_for(slices_.count())) {
  const std::size_t slice_bytes = slice_bytes_for(first_bytes + second_bytes);
  pinned_ = HostMemory(carriers_.size() * kBuffers * slice_bytes, true);
  std::byte* data = pinned_.data();
  for (Carrier& carrier : carriers_) {
    for (Buffer& buffer : carrier.buffers) {
      buffer.data = data;
      data += slice_bytes;
    }
  }
}

template <class Carry>
void StagedCopy::on_all_threads(Carry carry) {
  sortlab::threads::FirstFailure failure;
  sortlab::threads::on_all_threads(static_cast<int>(carriers_.size()), [&](int t) {
    failure.guard([&] { carry(carriers_[static_cast<std::size_t>(t)]); });
  });
  failure.rethrow();
}

void StagedCopy::to_device(const Arrays& arrays, cudaStream_t stream) {
  std::atomic<std::size_t> next_slice = 0;
  on_all_threads([&](Carrier& carrier) {
    std::size_t number;
    for (std::size_t turn = 0; (number = next_slice++) < slices_.count(); ++turn) {
      const CopySlice slice = slices_[number];
      const Array& array = arrays[slice.array];
      Buffer& buffer = carrier.next(turn);
      buffer.copied.wait();
      std::memcpy(buffer.data, array.host + slice.offset, slice.bytes);
      check(cudaMemcpyAsync(array.device + slice.offset, buffer.data, slice.bytes,
                            cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
      buffer.copied.record(stream);
    }
  });
}

void StagedCopy::to_host(const Arrays& arrays, cudaStream_t stream) {
  std::atomic<std::size_t> next_slice = 0;
  const auto fetch_next = [&](Buffer& buffer) {
    buffer.slice = next_slice++;
    if (buffer.slice >= slices_.count()) return;
    const CopySlice slice = slices_[buffer.slice];
    check(cudaMemcpyAsync(buffer.data, arrays[slice.array].device + slice.offset, slice.bytes,
                          cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    buffer.copied.record(stream);
  };
  on_all_threads([&](Carrier& carrier) {
    for (Buffer& buffer : carrier.buffers) fetch_next(buffer);
    for (std::size_t turn = 0; carrier.next(turn).slice < slices_.count(); ++turn) {
      Buffer& buffer = carrier.next(turn);
      const CopySlice slice = slices_[buffer.slice];
      buffer.copied.wait();
      std::memcpy(arrays[slice.array].host + slice.offset, buffer.data, slice.bytes);
      fetch_next(buffer);
    }
  });
}

}  // namespace sortlab::device

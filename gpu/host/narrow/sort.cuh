// Sorts keys that fit the GPU, and sends the result back without the bits that the places of keys tell.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "common/threads/first_failure.hpp"
#include "common/threads/loops.hpp"
#include "gpu/host/narrow/planes.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/offload/sort.cuh"

namespace sortlab::gpu::narrow {

/// Writes where each digit begins among the n sorted keys; one thread per digit.
template <class Key>
__global__ void find_begins(const Key* keys, KeyMap<Key> map, std::size_t n,
                            std::uint64_t* begins) {
  const std::size_t digit = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (digit > kDigits) return;
  std::size_t low = 0, high = n;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto digit_there = map.ordered(keys[middle]) >> Planes<Key>::kShift;
    if (digit_there < digit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  begins[digit] = low;
}

template <class Key>
__global__ void drop_digits(const Key* keys, KeyMap<Key> map, std::size_t n, Planes<Key> planes) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    planes.put(i, map.ordered(keys[i]));
  }
}

/// The keys of one step of a thread.
inline constexpr std::size_t kSliceKeys = std::size_t{1} << 19;

/// A pinned buffer for the planes of one slice.
template <class Key>
class SliceBuffer {
 public:
  static constexpr std::size_t kBytes = kSliceKeys * Planes<Key>::kBytes;

  explicit SliceBuffer(std::byte* data) : data_(data) {
    check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "cudaEventCreate");
  }
  ~SliceBuffer() { (void)cudaEventDestroy(copied_); }
  SliceBuffer(const SliceBuffer&) = delete;
  SliceBuffer& operator=(const SliceBuffer&) = delete;

  /// Asks for `count` keys from `first` on.
  void fetch(const Planes<Key>& device, std::size_t first, std::size_t count, cudaStream_t stream) {
    first_ = first;
    count_ = count;
    const Planes<Key> here = Planes<Key>::in(data_, count);
    if constexpr (Planes<Key>::kWide) copy(here.low, device.low + first, stream);
    copy(here.high, device.high + first, stream);
    check(cudaEventRecord(copied_, stream), "cudaEventRecord");
  }
  /// Writes what was asked for into its place, if anything was.
  void deliver(Key* keys, const KeyMap<Key>& map, const std::uint64_t* begins) {
    if (count_ == 0) return;
    check(cudaEventSynchronize(copied_), "cudaEventSynchronize");
    widen(keys + first_, Planes<Key>::in(data_, count_), map, begins, first_, count_);
    count_ = 0;
  }

 private:
  template <class T>
  void copy(T* to, const T* from, cudaStream_t stream) const {
    check(cudaMemcpyAsync(to, from, count_ * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
  }

  std::byte* data_;
  cudaEvent_t copied_ = nullptr;
  std::size_t first_ = 0, count_ = 0;
};

/// Device memory: two buffers, the sort's workspace, the digits' begins.
template <class Items, class Sort>
struct Memory {
  explicit Memory(std::size_t n, std::byte* base = nullptr)
      : buffers(n, 2, base), begins(nullptr), bytes(0) {
    Layout layout(base == nullptr ? nullptr : base + buffers.bytes());
    begins = layout.take<std::uint64_t>(kDigits + 1);
    bytes = buffers.bytes() + layout.bytes();
  }

  offload::Buffers<Items, Sort> buffers;
  std::uint64_t* begins;
  std::size_t bytes;
};

/// Pinned host memory: the begins, and two buffers per thread.
template <class Key>
struct Staging {
  Staging(int threads, std::byte* base = nullptr) {
    Layout layout(base);
    begins = layout.take<std::uint64_t>(kDigits + 1);
    slices =
        layout.take<std::byte>(2 * static_cast<std::size_t>(threads) * SliceBuffer<Key>::kBytes);
    bytes = layout.bytes();
  }

  std::uint64_t* begins;
  std::byte* slices;
  std::size_t bytes;
};

/// Fetches the planes with all threads, which rebuild the keys.
template <class Key>
void bring_home(Key* keys, const KeyMap<Key>& map, std::size_t n, const Planes<Key>& device,
                const Staging<Key>& staging, int threads, const OffloadGpu& gpu) {
  std::deque<SliceBuffer<Key>> buffers;
  for (int i = 0; i < 2 * threads; ++i) {
    buffers.emplace_back(staging.slices + static_cast<std::size_t>(i) * SliceBuffer<Key>::kBytes);
  }
  std::atomic<std::size_t> next = 0;
  const auto take_slices = [&](int t) {
    check(cudaSetDevice(gpu.device), "cudaSetDevice");
    const auto own = [&](std::size_t turn) -> SliceBuffer<Key>& {
      return buffers[2 * static_cast<std::size_t>(t) + turn % 2];
    };
    std::size_t turn = 0;
    for (std::size_t first; (first = next.fetch_add(kSliceKeys)) < n; ++turn) {
      own(turn).fetch(device, first, std::min(kSliceKeys, n - first), gpu.streams.out);
      own(turn + 1).deliver(keys, map, staging.begins);
    }
    own(turn).deliver(keys, map, staging.begins);
    own(turn + 1).deliver(keys, map, staging.begins);
  };
  threads::FirstFailure failure;
  threads::on_all_threads(threads, [&](int t) { failure.guard([&] { take_slices(t); }); });
  failure.rethrow();
}

/// Sorts the items of a BitsJob with the device sort `Sort`. Values cross the link as a whole.
template <class Sort, class Job>
ResultIn sort(const Job& job) {
  using Key = typename Job::Key;
  using Value = typename Job::Value;
  const OffloadGpu& gpu = job.gpus.front();
  const Memory<Items<Key, Value>, Sort> memory(job.n, gpu.memory.data());
  const Staging<Key> staging(job.threads, gpu.pinned_memory.data());
  const cudaStream_t work = gpu.streams.work;
  offload::Link link(gpu, job.pinned);
  offload::Stretches in;
  offload::add_items(in, memory.buffers[0], job.data, job.n);
  link.carry(in, {}, [] {});

  const ResultIn landed = Sort::sort(job.kind, memory.buffers[0], memory.buffers[1], job.n,
                                     memory.buffers.workspace(), work);
  const bool in_data = landed == ResultIn::data;
  const Items<Key, Value>& sorted = memory.buffers[in_data ? 0 : 1];
  const Key* const d_keys = sorted.keys;
  auto* const d_free = reinterpret_cast<std::byte*>(memory.buffers[in_data ? 1 : 0].keys);
  const auto d_planes = Planes<Key>::in(d_free, job.n);
  const auto map = key_map_of<Key>(job.kind);
  constexpr unsigned kThreads = 256;
  launch("find_begins", find_begins<Key>, {ceil_div(kDigits + 1, kThreads), kThreads}, work, d_keys,
         map, job.n, memory.begins);
  check(cudaMemcpyAsync(staging.begins, memory.begins, (kDigits + 1) * sizeof(std::uint64_t),
                        cudaMemcpyDeviceToHost, work),
        "cudaMemcpyAsync");
  launch("drop_digits", drop_digits<Key>,
         {std::min<std::size_t>(ceil_div(job.n, kThreads), 1 << 16), kThreads}, work, d_keys, map,
         job.n, d_planes);
  check(cudaStreamSynchronize(work), "the sort");
  bring_home(job.data.keys, map, job.n, d_planes, staging, job.threads, gpu);
  if constexpr (Items<Key, Value>::kPairs) {
    link.carry({},
               {{reinterpret_cast<std::byte*>(job.data.values),
                 reinterpret_cast<const std::byte*>(sorted.values), job.n * sizeof(Value)}},
               [] {});
  }
  return ResultIn::data;
}

}  // namespace sortlab::gpu::narrow

// Keys in host memory that fit the GPU; the result crosses the link without the keys' top 16 bits.
//
// Over the copies of the harness: sorted keys need not cross as a whole, because places determine the top bits. The GPU sends
// where each of the 65536 digits begins, and the other bits of all keys: 2 of 4 bytes, or 6 of 8. The CPU's threads put
// the digits back while they write the keys to host memory. This holds for all keys, not only for evenly spread ones.
// What it can gain: u32 at 55 GB/s take 0.073 ns per key in and 0.037 out, beside 0.012 to sort. Without it the link
// takes 0.146, and neither way can copies in and out overlap. The CPU must write 4 bytes in 0.037 ns for that: 110 GB/s.
// Gained: 2^30 u32, pinned, 7.1 Gkeys/s beside 6.4; staged 6.7 beside 5.8 (H200, 16 CPUs; results/h200/host.csv.xz).
// Values cross as a whole.
// Limits: as many items as fit the GPU. Uses all threads, in pinned memory too.
// Bytes per u32 key: 6 over the link.
// Source: our own.
#include <cuda_runtime.h>
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "common/threads/first_failure.hpp"
#include "common/threads/team.hpp"
#include "gpu/auto/chosen.hpp"
#include "gpu/host/narrow/planes.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/offload/sort.cuh"

namespace sortlab::gpu::narrow {

// Sorts keys that fit the GPU, and sends the result back without the bits that the places of keys determine.

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

namespace sortlab {
namespace {

struct Narrow {
  using JobKind = Offload;
  static constexpr Info info{.summary = "the result crosses the link without the top digits",
                             .source = "our own",
                             .memory = Memory::both,
                             .stable = true,
                             .parallel = true};
  using Sort = gpu::Chosen<true>;

  static OffloadNeeds needs(const OffloadRequest& request) {
    return visit_widths(
        request.key_bytes, request.value_bytes,
        [&]<class Bits, class Value>(Bits, Value) { return needs_of<Bits, Value>(request); });
  }

  template <class Job>
  static ResultIn sort(const Job& typed) {
    const auto job = gpu::offload::with_bits(typed);
    return job.n < kLeast ? gpu::offload::sort_at_once<Sort>(job) : gpu::narrow::sort<Sort>(job);
  }

 private:
  /// For fewer keys, 65536 digits cost more than they save.
  static constexpr std::size_t kLeast = std::size_t{1} << 20;

  template <class Key, class Value>
  static OffloadNeeds needs_of(const OffloadRequest& r) {
    const std::size_t device_bytes = gpu::narrow::Memory<Items<Key, Value>, Sort>(r.n).bytes;
    if (device_bytes > r.device_bytes) {
      throw BadInput("needs " + std::to_string(device_bytes >> 20) +
                     " MiB of GPU memory for so many keys, may take " +
                     std::to_string(r.device_bytes >> 20) + ": gpu/host/pieces takes less");
    }
    return {.device_bytes = device_bytes,
            .pinned_bytes = std::max(gpu::narrow::Staging<Key>(r.threads).bytes,
                                     gpu::offload::Link::pinned_bytes(r.pinned, r.threads))};
  }
};
SORTLAB_REGISTER(Narrow, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

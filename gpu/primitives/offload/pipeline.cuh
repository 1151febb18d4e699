// Sorts one piece after the other on the GPU: while one is sorted, the next arrives and the last one leaves.
//
//   step        0      1      2      3      4
//   link, in    [0]    [1]    [2]
//   GPU                [0]    [1]    [2]            four buffers: one arrives, one is sorted with a
//   link, out                 [0]    [1]    [2]     second one, one leaves
#pragma once

#include <cuda_runtime_api.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "common/contract/offload.hpp"
#include "common/cuda_check.hpp"
#include "common/threads/first_failure.hpp"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::offload {

// Carries lists of stretches between host and device, both directions at once.
//
// Pinned memory goes over the link directly. For pageable memory, threads move slices through pinned buffers of their
// own; each thread serves both directions by turns:
//
//   thread   [host -> buffer][ask for a result][buffer -> host]   [host -> buffer] ...
//   link                     [ buffer -> GPU ][ GPU -> buffer]

/// A stretch of memory to copy, on one side of the link to the other.
struct Stretch {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
};
using Stretches = std::vector<Stretch>;

/// Appends the copy of n items.
template <class Items>
void add_items(Stretches& list, const Items& to, const Items& from, std::size_t n) {
  if (n == 0) return;
  const auto add = [&](auto* to_array, const auto* from_array) {
    list.push_back({reinterpret_cast<std::byte*>(to_array),
                    reinterpret_cast<const std::byte*>(from_array), n * sizeof(*to_array)});
  };
  add(to.keys, from.keys);
  if constexpr (Items::kPairs) add(to.values, from.values);
}

inline constexpr std::size_t kStagedSlice = std::size_t{2} << 20;  // bytes

/// Stretches cut into slices of at most kStagedSlice bytes, which threads take in their order.
class Slices {
 public:
  explicit Slices(const Stretches& stretches) {
    for (const Stretch& s : stretches) {
      for (std::size_t done = 0; done < s.bytes; done += kStagedSlice) {
        slices_.push_back({s.to + done, s.from + done, std::min(kStagedSlice, s.bytes - done)});
      }
    }
  }
  /// The next one; null after the last.
  const Stretch* take() {
    const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
    return i < slices_.size() ? &slices_[i] : nullptr;
  }

 private:
  Stretches slices_;
  std::atomic<std::size_t> next_ = 0;
};

/// A pinned buffer, and the moment from which the GPU no longer uses it.
class StagingBuffer {
 public:
  explicit StagingBuffer(std::byte* data) : data_(data) {
    check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "cudaEventCreate");
  }
  ~StagingBuffer() { (void)cudaEventDestroy(copied_); }
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;

  void send(const Stretch& slice, cudaStream_t stream) {
    wait();
    std::memcpy(data_, slice.from, slice.bytes);
    copy(slice.to, data_, slice.bytes, cudaMemcpyHostToDevice, stream);
  }
  void fetch(const Stretch& slice, cudaStream_t stream) {
    fetched_ = &slice;
    copy(data_, slice.from, slice.bytes, cudaMemcpyDeviceToHost, stream);
  }
  /// Moves what was fetched into its place, if anything was.
  void deliver() {
    if (fetched_ == nullptr) return;
    wait();
    std::memcpy(fetched_->to, data_, fetched_->bytes);
    fetched_ = nullptr;
  }

 private:
  void wait() const { check(cudaEventSynchronize(copied_), "cudaEventSynchronize"); }
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
            cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
    check(cudaEventRecord(copied_, stream), "cudaEventRecord");
  }

  std::byte* data_;
  cudaEvent_t copied_ = nullptr;
  const Stretch* fetched_ = nullptr;
};

/// What one thread that stages has: two buffers a direction.
struct Carrier {
  static constexpr std::size_t kBytes = 4 * kStagedSlice;
  explicit Carrier(std::byte* data)
      : sent{{StagingBuffer{data}, StagingBuffer{data + kStagedSlice}}},
        fetched{{StagingBuffer{data + 2 * kStagedSlice}, StagingBuffer{data + 3 * kStagedSlice}}} {}

  void carry(Slices& in, Slices& out, const OffloadStreams& streams) {
    bool more_in = true, more_out = true;
    for (std::size_t turn = 0; more_in || more_out; ++turn) {
      if (more_in) {
        const Stretch* const slice = in.take();
        more_in = slice != nullptr;
        if (more_in) sent[turn % 2].send(*slice, streams.in);
      }
      if (more_out) {
        const Stretch* const slice = out.take();
        more_out = slice != nullptr;
        if (more_out) fetched[turn % 2].fetch(*slice, streams.out);
      }
      fetched[(turn + 1) % 2].deliver();
    }
    for (StagingBuffer& buffer : fetched) buffer.deliver();
  }

  std::array<StagingBuffer, 2> sent, fetched;
};

/// Both directions of the link.
class Link {
 public:
  /// The threads that stage pageable memory: as many as the harness takes for its staged copies.
  static int carriers_for(int threads) { return std::min(threads, 8); }
  static std::size_t pinned_bytes(bool pinned, int threads) {
    return pinned ? 0 : static_cast<std::size_t>(carriers_for(threads)) * Carrier::kBytes;
  }

  /// `pinned`: the GPU can access the host's data directly.
  Link(const OffloadGpu& gpu, bool pinned) : streams_(gpu.streams), device_(gpu.device) {
    if (pinned) return;
    const OnDevice here(device_);  // for the events of the buffers
    for (std::size_t at = 0; at + Carrier::kBytes <= gpu.pinned_memory.size();
         at += Carrier::kBytes) {
      carriers_.emplace_back(gpu.pinned_memory.data() + at);
    }
  }

  /// Copies all stretches; calls `meanwhile()` once while copies run. Returns when all have arrived.
  void carry(const Stretches& in, const Stretches& out, const std::function<void()>& meanwhile) {
    if (carriers_.empty()) {
      for (const Stretch& s : in) {
        check(cudaMemcpyAsync(s.to, s.from, s.bytes, cudaMemcpyHostToDevice, streams_.in),
              "cudaMemcpyAsync");
      }
      for (const Stretch& s : out) {
        check(cudaMemcpyAsync(s.to, s.from, s.bytes, cudaMemcpyDeviceToHost, streams_.out),
              "cudaMemcpyAsync");
      }
      meanwhile();
    } else {
      stage(in, out, meanwhile);
    }
    check(cudaStreamSynchronize(streams_.in), "copies to the GPU");
    check(cudaStreamSynchronize(streams_.out), "copies to the host");
  }

 private:
  void stage(const Stretches& in, const Stretches& out, const std::function<void()>& meanwhile) {
    Slices slices_in(in), slices_out(out);
    threads::FirstFailure failure;
    {
      std::vector<std::jthread> threads;
      for (Carrier& carrier : carriers_) {
        threads.emplace_back([&] {
          failure.guard([&] {
            check(cudaSetDevice(device_), "cudaSetDevice");
            carrier.carry(slices_in, slices_out, streams_);
          });
        });
      }
      meanwhile();
    }
    failure.rethrow();
  }

  OffloadStreams streams_;
  int device_;
  std::deque<Carrier> carriers_;
};

// A sort of host data with a GPU's help, with keys as their bits: their kind is known when it runs. So whatever sorts
// in pieces is compiled once for keys of one width. Needs no CUDA.
template <class BitsT, class ValueT>
struct BitsJob {
  using Key = BitsT;
  using Value = ValueT;

  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::size_t n;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  std::span<const OffloadGpu> gpus;
  bool pinned;
  KeyKind kind;
};

template <class Job>
auto with_bits(const Job& job) {
  return BitsJob<BitsOf<typename Job::Key>, typename Job::Value>{as_bits(job.data),
                                                                 as_bits(job.alternate),
                                                                 job.n,
                                                                 job.workspace,
                                                                 job.threads,
                                                                 job.isa,
                                                                 job.gpus,
                                                                 job.pinned,
                                                                 kind_of(job)};
}

/// A run of n items in host memory.
template <class Items>
struct Run {
  Items items;
  std::size_t n;
};

/// A piece to sort: where its items are, and where the result belongs.
template <class Items>
struct Piece {
  std::vector<Run<Items>> from;
  Items to;
  std::size_t n;
};

/// The device memory of a pipeline for pieces of at most `most` items. `Sort` is a device sort with `workspace_bytes` and
/// `sort` as Chosen has them.
template <class Items, class Sort>
class Buffers {
 public:
  static constexpr std::size_t kCount = 4;

  Buffers(std::size_t most, std::size_t count, std::byte* base = nullptr) {
    Layout layout(base);
    for (std::size_t i = 0; i < count; ++i) {
      items_[i].keys = layout.take<typename Items::Key>(most);
      if constexpr (Items::kPairs) items_[i].values = layout.take<typename Items::Value>(most);
    }
    workspace_ = {layout.take<std::byte>(workspace_bytes(most)), workspace_bytes(most)};
    bytes_ = layout.bytes();
  }

  const Items& operator[](std::size_t i) const { return items_[i]; }
  std::span<std::byte> workspace() const { return workspace_; }
  std::size_t bytes() const { return bytes_; }

 private:
  /// The pieces of a plan have two sizes.
  static std::size_t workspace_bytes(std::size_t most) {
    const Params none;
    const auto of = [&](std::size_t n) {
      return Sort::workspace_bytes(
          {n, sizeof(typename Items::Key), kValueBytes<typename Items::Value>, 0, none});
    };
    return std::max(of(most), of(most - std::min<std::size_t>(most, 1)));
  }

  Items items_[kCount];
  std::span<std::byte> workspace_;
  std::size_t bytes_;
};

template <class Items, class Sort>
class Pipeline {
 public:
  using Piece = offload::Piece<Items>;
  using Buffers = offload::Buffers<Items, Sort>;

  /// Sorts pieces of at most `most` items of `job` with the GPU.
  template <class Job>
  Pipeline(const OffloadGpu& gpu, const Job& job, std::size_t most)
      : kind_(job.kind),
        device_(gpu.device),
        link_(gpu, job.pinned),
        work_(gpu.streams.work),
        buffers_(most, Buffers::kCount, gpu.memory.data()) {}

  /// Sorts the pieces that `take()` returns, in order, until it returns none. Any thread may call this, whatever its
  /// current GPU is.
  void run(const std::function<std::optional<Piece>()>& take) {
    const OnDevice here(device_);
    std::optional<Piece> arriving, sorting, leaving;
    while ((arriving = take()) || sorting || leaving) {
      Stretches in, out;
      if (arriving) add_arrival(in, *arriving);
      if (leaving) add_items(out, leaving->to, buffers_[leaving_], leaving->n);
      link_.carry(in, out, [&] {
        if (sorting && sort(sorting->n) == ResultIn::alternate) std::swap(sorting_, alternate_);
      });
      check(cudaStreamSynchronize(work_), "the sort of a piece");
      leaving = std::move(sorting);
      sorting = std::move(arriving);
      // What has left makes room for the next arrival.
      const std::size_t free = std::exchange(leaving_, std::exchange(sorting_, arriving_));
      arriving_ = std::exchange(alternate_, free);
    }
  }

 private:
  void add_arrival(Stretches& in, const Piece& piece) const {
    std::size_t at = 0;
    for (const Run<Items>& run : piece.from) {
      add_items(in, buffers_[arriving_].from(at), run.items, run.n);
      at += run.n;
    }
  }

  ResultIn sort(std::size_t n) const {
    return Sort::sort(kind_, buffers_[sorting_], buffers_[alternate_], n, buffers_.workspace(),
                      work_);
  }

  KeyKind kind_;
  int device_;
  Link link_;
  cudaStream_t work_;
  Buffers buffers_;
  std::size_t arriving_ = 0, sorting_ = 1, alternate_ = 2, leaving_ = 3;  // buffers
};

}  // namespace sortlab::gpu::offload

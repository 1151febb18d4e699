// What a sort of host data with the help of GPUs is: the contract of variants whose items lie in host memory, and which
// may take a limited amount of device memory (Info::memory is Memory::both). One GPU helps (Offload), or all of those
// that the user names (OffloadToAll).
//
// It stands beside Job (variant.hpp) and PartJob (parts.hpp), with the same rules:
//
//   struct Pieces {
//     using JobKind = Offload;
//     static constexpr Info info{.summary = "...", .memory = Memory::both, .alternate = true, .parallel = true};
//     static OffloadNeeds needs(const OffloadRequest&);
//     template <class Job>
//     static ResultIn sort(const Job& job);
//   };
//   SORTLAB_REGISTER(Pieces, AllKeys, KeysAndPairs);
//
// `sort` is instantiated for each OffloadJob<Key, Value, order>. It reads and writes job.data and job.alternate in host
// memory, and the memory that `needs` asked for. It returns when its streams are idle.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "common/contract/variant.hpp"

namespace sortlab {

/// What such a sort may know when it says what it needs.
struct OffloadRequest {
  std::size_t n;
  std::size_t key_bytes;
  std::size_t value_bytes;  // 0 for keys alone
  int threads;
  const Params& params;
  bool pinned;               // the GPUs can access data and alternate directly
  std::size_t device_bytes;  // the device memory that it may take, of each GPU
  int gpus = 1;
};

/// What it needs. `needs` throws BadInput where device_bytes are too few.
struct OffloadNeeds {
  std::size_t device_bytes;         // of each GPU; no more than it may take
  std::size_t pinned_bytes = 0;     // for each GPU: host memory that it can access
  std::size_t workspace_bytes = 0;  // host memory
};

/// Three streams, so that copies in both directions and kernels overlap.
struct OffloadStreams {
  Stream in;    // to the device
  Stream work;  // kernels
  Stream out;   // to the host
};

/// What a sort has of one GPU.
struct OffloadGpu {
  int device;                          // CUDA's number
  std::span<std::byte> memory;         // of the device, 256-byte aligned, contents undefined
  std::span<std::byte> pinned_memory;  // host memory that the GPU can access
  OffloadStreams streams;
};

/// One such sort to be done, with its types erased: that of the host, and what it has of the GPUs.
struct ErasedOffloadJob {
  ErasedJob host;
  std::span<const OffloadGpu> gpus;  // at least one; the first is the current one
  bool pinned;
};

/// One such sort to be done.
template <class Key, class Value, Order kOrder>
struct OffloadJob : Job<Key, Value, kOrder> {
  std::span<const OffloadGpu> gpus;
  bool pinned;

  static OffloadJob of(const ErasedOffloadJob& e) {
    return {Job<Key, Value, kOrder>::of(e.host), e.gpus, e.pinned};
  }
};

/// The kind of jobs on host data with a GPU's help.
struct Offload {
  static constexpr Kind kKind{"offload"};
  template <class Key, class Value, Order kOrder>
  using Job = OffloadJob<Key, Value, kOrder>;
  using Erased = ErasedOffloadJob;
  using Request = OffloadRequest;
  using Needs = OffloadNeeds;
};

/// The same with the help of all GPUs that the user names.
struct OffloadToAll : Offload {
  static constexpr Kind kKind{"offload to all"};
};

/// What `needs` was asked for this job, with the device memory that it got.
template <class Job>
OffloadRequest request_of(const Job& job) {
  return {job.n,
          sizeof(typename Job::Key),
          kValueBytes<typename Job::Value>,
          job.threads,
          job.params,
          job.pinned,
          job.gpus.front().memory.size(),
          static_cast<int>(job.gpus.size())};
}

}  // namespace sortlab

// What a sort over several GPUs of one process is: the contract of variants whose items lie in the
// memories of several devices.
//
// It stands beside Job (variant.hpp) and PartJob (parts.hpp), whose order of items it shares: each GPU
// holds a part before the sort and a part of the result after it. One call, of one host thread, sorts
// all parts: it puts work on the streams of all GPUs, and waits for them where the host must know a
// count. As for other variants, a file is a sort:
//
//   struct Gather {
//     using JobKind = DeviceParts;
//     static constexpr Info info{.summary = "...", .memory = Memory::device, .stable = true};
//     static PartNeeds needs(const PartRequest&);
//     template <class Job>
//     static std::vector<PartResult> sort(const Job& job);
//   };
//   SORTLAB_REGISTER(Gather, AllKeys, KeysAndPairs);
//
// `needs` is called while the GPU of its part is the current one. `sort` is instantiated for each
// DevicesJob<Key, Value, order>. Every GPU can read and write the memory of the others; several parts
// may lie on one GPU. The result of a part must be there when the work on its `stream` is done.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/contract/parts.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

/// One part, with its types erased.
struct ErasedDevicePart {
  int device;  // CUDA's number of its GPU
  void* keys;
  void* values;  // null for keys alone
  void* alternate_keys;
  void* alternate_values;
  std::size_t n;
  std::size_t capacity;
  std::span<std::byte> workspace;
  Stream stream;
  std::span<const Stream> copy_streams;
};

/// A sort of all parts to be done, with its types erased.
struct ErasedDevicesJob {
  const Instance* instance;
  std::span<const ErasedDevicePart> parts;
  const Params* params;
  std::vector<PartResult>* results;  // of the parts go here
};

/// One part: items in the memory of a GPU.
template <class Key, class Value>
struct DevicePart {
  int device;  // CUDA's number of its GPU
  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::size_t n;                         // items of this part
  std::size_t capacity;                  // room in each of the two buffers
  std::span<std::byte> workspace;        // 256-byte aligned, contents undefined
  Stream stream;                         // of this GPU
  std::span<const Stream> copy_streams;  // of this GPU: one for what goes to each part
};

/// A sort of all parts to be done.
template <class KeyT, class ValueT, Order kOrderT>
struct DevicesJob {
  using Key = KeyT;
  using Value = ValueT;
  using Less = KeyLess<Key, kOrderT>;
  static constexpr Order kOrder = kOrderT;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;

  std::vector<DevicePart<Key, Value>> parts;
  const Params& params;

  std::size_t all_n() const {
    std::size_t sum = 0;
    for (const auto& part : parts) sum += part.n;
    return sum;
  }

  static DevicesJob of(const ErasedDevicesJob& e) {
    DevicesJob job{{}, *e.params};
    for (const ErasedDevicePart& part : e.parts) {
      job.parts.push_back({part.device, items_at<Key, Value>(part.keys, part.values),
                           items_at<Key, Value>(part.alternate_keys, part.alternate_values), part.n,
                           part.capacity, part.workspace, part.stream, part.copy_streams});
    }
    return job;
  }
};

/// The kind of jobs over several GPUs of this process.
struct DeviceParts {
  static constexpr Kind kKind{"devices"};
  template <class Key, class Value, Order kOrder>
  using Job = DevicesJob<Key, Value, kOrder>;
  using Erased = ErasedDevicesJob;
  using Request = PartRequest;
  using Needs = PartNeeds;
  static ResultIn deliver(const Erased& e, std::vector<PartResult> results) {
    *e.results = std::move(results);
    return ResultIn::data;  // each part says where its own is
  }
};

}  // namespace sortlab

// What a sort over several GPUs of one process is: the contract of variants whose items lie in the
// memories of several devices.
//
// It stands beside Job (variant.hpp) and PartJob (parts.hpp), whose order of items it shares: each GPU
// holds a part before the sort and a part of the result after it. One call, of one host thread, sorts
// all parts: it puts work on the streams of all GPUs, and waits for them where the host must know a
// count. As for other variants, a file is a sort:
//
//   struct Gather {
//     static constexpr Info info{.summary = "...", .memory = Memory::device, .stable = true,
//                                .parts = Parts::devices};
//     static PartNeeds needs(const PartRequest&);
//     template <class Job>
//     static std::vector<PartResult> sort(const Job& job);
//   };
//   SORTLAB_REGISTER_DEVICES(Gather, AllKeys, KeysAndPairs);
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
};

namespace detail {

template <class Impl, class Key, class Value, Order kOrder>
std::vector<PartResult> run_devices(const ErasedDevicesJob& e) {
  const auto items = [](void* keys, void* values) {
    return Items<Key, Value>{static_cast<Key*>(keys), static_cast<Value*>(values)};
  };
  DevicesJob<Key, Value, kOrder> job{{}, *e.params};
  for (const ErasedDevicePart& part : e.parts) {
    job.parts.push_back({part.device, items(part.keys, part.values),
                         items(part.alternate_keys, part.alternate_values), part.n, part.capacity,
                         part.workspace, part.stream, part.copy_streams});
  }
  return Impl::sort(job);
}

template <class Impl, class Key, Order kOrder, class... Values>
void add_devices_instances(std::vector<Instance>& out, TypeList<Values...>) {
  ((out.push_back({.key_type = key_type_of<Key>(),
                   .value_bytes = kValueBytes<Values>,
                   .order = kOrder,
                   .sort = nullptr,
                   .traits = Traits::of(Impl::info),
                   .sort_devices = &run_devices<Impl, Key, Values, kOrder>})),
   ...);
}

template <class Impl, class... Keys, class ValueList>
Variant describe_devices(std::string id, std::string extension, TypeList<Keys...>,
                         ValueList values) {
  Variant v = describe_facts<Impl>(std::move(id), std::move(extension));
  v.part_needs = &Impl::needs;
  (add_devices_instances<Impl, Keys, Order::ascending>(v.instances, values), ...);
  (add_devices_instances<Impl, Keys, Order::descending>(v.instances, values), ...);
  return v;
}

}  // namespace detail
}  // namespace sortlab

/// SORTLAB_REGISTER (variant.hpp) for a sort over several GPUs.
#define SORTLAB_REGISTER_DEVICES(Impl, Keys, Values)                      \
  extern "C" void SORTLAB_VARIANT_ENTRY(::sortlab::Variant& variant) {    \
    variant = ::sortlab::detail::describe_devices<Impl>(                  \
        SORTLAB_VARIANT_ID, SORTLAB_VARIANT_EXTENSION, Keys{}, Values{}); \
  }                                                                       \
  static_assert(true)

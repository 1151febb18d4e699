// What a sort over several parts is: the contract of variants whose items lie in several memories.
//
// It stands beside Job (variant.hpp): there one call sorts one array. Here each part, a process of an
// MPI program, makes the same call with its own items:
//
//   before   part 0: items 0 .. a-1   part 1: items a .. b-1   ...   as the harness shares them out
//   after    part 0: the least items  part 1: the next         ...   as the sort shares them out
//
// So the result is the concatenation of the parts, each of them sorted. A stable sort keeps equal keys in
// the order of (part, place). As for other variants, a file is a sort, and the struct says all of it:
//
//   struct Sample {
//     static constexpr Info info{.summary = "...", .stable = true, .parts = Parts::ranks};
//     static PartNeeds needs(const PartRequest&);
//     template <class Job>
//     static PartResult sort(const Job& job);
//   };
//   SORTLAB_REGISTER_PARTS(Sample, AllKeys, KeysAndPairs);
//
// `sort` is instantiated for each PartJob<Key, Value, order>. In its place, a struct may have
// `static PartResult hand_on(const ErasedPartJob&)`, one function for all types. `sort` reads and writes job.data and
// job.alternate, which have room for job.capacity items, and job.workspace; beside them it allocates what
// grows with the number of parts alone. It throws the same exception on all parts, or on none.
//
// With Memory::device the buffers and the workspace are in the memory of the part's GPU, which is the current one
// when `needs` and `sort` are called. The result must be there when the work on job.stream is done. Parts send
// items with job.on_device; job.parts tells what hosts must know.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/contract/communicator.hpp"
#include "common/contract/device_exchange.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

/// What a part may know when it says what it needs.
struct PartRequest {
  std::size_t all_n;  // items of all parts
  int parts;
  int part;
  std::size_t key_bytes;
  std::size_t value_bytes;  // 0 for keys alone
  int threads;              // of each part
  const Params& params;

  /// Items of this part before the sort: as even as can be.
  std::size_t n() const { return begin(part + 1) - begin(part); }
  /// Items of the largest part before the sort.
  std::size_t most_n() const {
    return (all_n + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts);
  }
  /// The number of the first item of part p.
  std::size_t begin(int p) const {
    const auto count = static_cast<std::size_t>(parts), at = static_cast<std::size_t>(p);
    return all_n / count * at + all_n % count * at / count;
  }
};

/// What one part needs.
struct PartNeeds {
  std::size_t capacity;  // the most items that it holds at any time, at least those before the sort
  std::size_t workspace_bytes = 0;
  bool shares_alternate = false;  // other parts may write to its alternate buffer: see PartJob
};

/// What a part holds after the sort.
struct PartResult {
  ResultIn in;
  std::size_t n;
  std::size_t written_bytes = 0;  // by this part, to the alternate buffers of others
};

/// Where a part finds the alternate buffer of another one.
struct ErasedAlternate {
  void* keys;
  void* values;  // null for keys alone
};

/// One part of a sort to be done, with its types erased.
struct ErasedPartJob {
  const Instance* instance;
  void* keys;
  void* values;  // null for keys alone
  void* alternate_keys;
  void* alternate_values;
  std::size_t n;         // items of this part
  std::size_t capacity;  // room in each of the two buffers
  std::size_t all_n;     // items of all parts
  std::span<const ErasedAlternate> alternates;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  const Params* params;
  Communicator* parts;
  RecordShape record = {};  // of the keys, where they are records
  Stream stream = nullptr;  // of a part in the memory of a GPU, as those that follow
  Stream copy_stream = nullptr;
  DeviceExchange* on_device = nullptr;
};

/// One part of a sort to be done.
template <class KeyT, class ValueT, Order kOrderT>
struct PartJob {
  using Key = KeyT;
  using Value = ValueT;
  using Less = KeyLess<Key, kOrderT>;
  static constexpr Order kOrder = kOrderT;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;

  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::size_t n;
  std::size_t capacity;
  std::size_t all_n;
  /// The alternate buffers of all parts, where needs() asked for them and all parts are on one host; else
  /// empty. What one part writes there, the others see after the next barrier.
  std::vector<Items<Key, Value>> alternates;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  const Params& params;
  Communicator& parts;
  // Of a part in the memory of a GPU; else null:
  Stream stream;
  Stream copy_stream;  // for what overlaps the work on `stream`
  DeviceExchange* on_device;
};

namespace detail {

template <class Impl, class Key, class Value, Order kOrder>
PartResult run_part(const ErasedPartJob& e) {
  const auto items = [](void* keys, void* values) {
    return Items<Key, Value>{static_cast<Key*>(keys), static_cast<Value*>(values)};
  };
  std::vector<Items<Key, Value>> alternates;
  for (const auto& [keys, values] : e.alternates) alternates.push_back(items(keys, values));
  return Impl::sort(PartJob<Key, Value, kOrder>{
      items(e.keys, e.values), items(e.alternate_keys, e.alternate_values), e.n, e.capacity,
      e.all_n, std::move(alternates), e.workspace, e.threads, e.isa, *e.params, *e.parts, e.stream,
      e.copy_stream, e.on_device});
}

template <class Impl, class Key, class Value, Order kOrder>
constexpr PartSortFunction part_function() {
  if constexpr (requires(const ErasedPartJob& e) { Impl::hand_on(e); }) {
    return &Impl::hand_on;
  } else {
    return &run_part<Impl, Key, Value, kOrder>;
  }
}

template <class Impl, class Key, Order kOrder, class... Values>
void add_part_instances(std::vector<Instance>& out, TypeList<Values...>) {
  ((out.push_back({.key_type = key_type_of<Key>(),
                   .value_bytes = kValueBytes<Values>,
                   .order = kOrder,
                   .sort = nullptr,
                   .traits = Traits::of(Impl::info),
                   .sort_part = part_function<Impl, Key, Values, kOrder>()})),
   ...);
}

template <class Impl, class... Keys, class ValueList>
Variant describe_parts(std::string id, std::string extension, TypeList<Keys...>, ValueList values) {
  Variant v = describe_facts<Impl>(std::move(id), std::move(extension));
  v.part_needs = &Impl::needs;
  (add_part_instances<Impl, Keys, Order::ascending>(v.instances, values), ...);
  (add_part_instances<Impl, Keys, Order::descending>(v.instances, values), ...);
  return v;
}

}  // namespace detail
}  // namespace sortlab

/// SORTLAB_REGISTER (variant.hpp) for a sort over several parts.
#define SORTLAB_REGISTER_PARTS(Impl, Keys, Values)                        \
  extern "C" void SORTLAB_VARIANT_ENTRY(::sortlab::Variant& variant) {    \
    variant = ::sortlab::detail::describe_parts<Impl>(                    \
        SORTLAB_VARIANT_ID, SORTLAB_VARIANT_EXTENSION, Keys{}, Values{}); \
  }                                                                       \
  static_assert(true)

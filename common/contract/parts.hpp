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
//     using JobKind = RankParts;
//     static constexpr Info info{.summary = "...", .stable = true};
//     static PartNeeds needs(const PartRequest&);
//     template <class Job>
//     static PartResult sort(const Job& job);
//   };
//   SORTLAB_REGISTER(Sample, AllKeys, KeysAndPairs);
//
// `sort` is instantiated for each PartJob<Key, Value, order>. In its place, a struct may have
// `static PartResult sort_erased(const ErasedPartJob&)`, one function for all types. `sort` reads and writes job.data and
// job.alternate, which have room for job.capacity items, and job.workspace; beside them it allocates what
// grows with the number of parts alone. It throws the same exception on all parts, or on none.
//
// With Memory::device the buffers and the workspace are in the memory of the part's GPU, which is the current one
// when `needs` and `sort` are called. The result must be there when the work on job.stream is done. Parts send
// items with job.on_device; job.parts exchanges what hosts must know.
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
  PartResult* result;       // goes here
  RecordShape record = {};  // of the keys, where they are records
  Stream stream = nullptr;  // of a part in the memory of a GPU, as those that follow
  Stream copy_stream = nullptr;
  DeviceExchange* on_device = nullptr;
};

/// One part of a sort to be done, in whatever order.
template <class KeyT, class ValueT>
struct PartOfSort {
  using Key = KeyT;
  using Value = ValueT;
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

  static PartOfSort of(const ErasedPartJob& e) {
    std::vector<Items<Key, Value>> alternates;
    for (const auto& [keys, values] : e.alternates) {
      alternates.push_back(items_at<Key, Value>(keys, values));
    }
    return {items_at<Key, Value>(e.keys, e.values),
            items_at<Key, Value>(e.alternate_keys, e.alternate_values),
            e.n,
            e.capacity,
            e.all_n,
            std::move(alternates),
            e.workspace,
            e.threads,
            e.isa,
            *e.params,
            *e.parts,
            e.stream,
            e.copy_stream,
            e.on_device};
  }
};

/// One part of a sort to be done.
template <class Key, class Value, Order kOrderT>
struct PartJob : PartOfSort<Key, Value> {
  using Less = KeyLess<Key, kOrderT>;
  static constexpr Order kOrder = kOrderT;

  static PartJob of(const ErasedPartJob& e) { return {PartOfSort<Key, Value>::of(e)}; }
};

/// The kind of jobs over ranks.
struct RankParts {
  static constexpr Kind kKind{"ranks"};
  template <class Key, class Value, Order kOrder>
  using Job = PartJob<Key, Value, kOrder>;
  using Erased = ErasedPartJob;
  using Request = PartRequest;
  using Needs = PartNeeds;
  static ResultIn deliver(const Erased& e, const PartResult& result) {
    *e.result = result;
    return result.in;
  }
};

}  // namespace sortlab

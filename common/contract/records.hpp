// What a sort of records is: the contract of variants whose items are no numbers but records (record_shape.hpp).
//
// Records are one more type of keys for Job (variant.hpp) and PartJob (parts.hpp), with the same rules. The harness
// says at run time how long records and keys are, so there is one instance and no template:
//
//   struct Prefix {
//     static constexpr Info info{.summary = "...", .stable = true, .alternate = true, .parallel = true};
//     static size_t workspace_bytes(const WorkspaceRequest&);   // key_bytes is that of a whole record
//     static ResultIn sort(const RecordJob& job);
//   };
//   SORTLAB_REGISTER(Prefix, RecordKeys, KeysOnly);
//
// A sort over ranks has `using JobKind = RankParts`, `needs(const PartRequest&)` and `sort(const RecordPartJob&)`.
// Records are in ascending order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "common/contract/parts.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

using RecordKeys = TypeList<Record>;

/// A sort of n records to be done.
template <>
struct Job<Record, NoValue, Order::ascending> {
  std::byte* records;
  std::byte* alternate;  // as much room; null unless Info::alternate
  std::size_t n;
  RecordShape shape;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  const Params& params;

  static Job of(const ErasedJob& e) {
    return {static_cast<std::byte*>(e.keys),
            static_cast<std::byte*>(e.alternate_keys),
            e.n,
            e.record,
            e.workspace,
            e.threads,
            e.isa,
            *e.params};
  }
};
using RecordJob = Job<Record, NoValue, Order::ascending>;

/// One part of such a sort.
template <>
struct PartJob<Record, NoValue, Order::ascending> {
  std::byte* records;
  std::byte* alternate;
  std::size_t n;         // records of this part
  std::size_t capacity;  // room in each of the two buffers, in records
  std::size_t all_n;
  RecordShape shape;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  const Params& params;
  Communicator& parts;

  static PartJob of(const ErasedPartJob& e) {
    return {static_cast<std::byte*>(e.keys),
            static_cast<std::byte*>(e.alternate_keys),
            e.n,
            e.capacity,
            e.all_n,
            e.record,
            e.workspace,
            e.threads,
            e.isa,
            *e.params,
            *e.parts};
  }
};
using RecordPartJob = PartJob<Record, NoValue, Order::ascending>;

}  // namespace sortlab

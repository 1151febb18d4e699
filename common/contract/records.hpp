// What a sort of records is: the contract of variants whose items are no numbers but records (record_shape.hpp).
//
// It stands beside Job (variant.hpp) and PartJob (parts.hpp), with the same rules. The harness says at run time
// how long records and keys are, so there is one instance and no template:
//
//   struct Prefix {
//     static constexpr Info info{.summary = "...", .stable = true, .alternate = true, .parallel = true};
//     static size_t workspace_bytes(const WorkspaceRequest&);   // key_bytes is that of a whole record
//     static ResultIn sort(const RecordJob& job);
//   };
//   SORTLAB_REGISTER_RECORDS(Prefix);
//
// A sort over several parts has Info::parts, `needs(const PartRequest&)` and `sort(const RecordPartJob&)`.
// Records are in ascending order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "common/contract/parts.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

/// A sort of n records to be done.
struct RecordJob {
  std::byte* records;
  std::byte* alternate;  // as much room; null unless Info::alternate
  std::size_t n;
  RecordShape shape;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  const Params& params;
};

/// One part of such a sort.
struct RecordPartJob {
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
};

namespace detail {

template <class Impl>
ResultIn sort_records(const ErasedJob& e) {
  return Impl::sort(RecordJob{static_cast<std::byte*>(e.keys),
                              static_cast<std::byte*>(e.alternate_keys), e.n, e.record, e.workspace,
                              e.threads, e.isa, *e.params});
}

template <class Impl>
PartResult sort_record_part(const ErasedPartJob& e) {
  return Impl::sort(RecordPartJob{
      static_cast<std::byte*>(e.keys), static_cast<std::byte*>(e.alternate_keys), e.n, e.capacity,
      e.all_n, e.record, e.workspace, e.threads, e.isa, *e.params, *e.parts});
}

template <class Impl>
Variant describe_records(std::string id, std::string extension) {
  Variant v = describe_facts<Impl>(std::move(id), std::move(extension));
  Instance instance{.key_type = KeyType::record,
                    .value_bytes = 0,
                    .order = Order::ascending,
                    .sort = nullptr,
                    .traits = Traits::of(Impl::info)};
  if constexpr (Impl::info.parts == Parts::ranks) {
    v.part_needs = &Impl::needs;
    instance.sort_part = &sort_record_part<Impl>;
  } else {
    instance.sort = &sort_records<Impl>;
  }
  v.instances.push_back(instance);
  return v;
}

}  // namespace detail
}  // namespace sortlab

/// SORTLAB_REGISTER (variant.hpp) for a sort of records.
#define SORTLAB_REGISTER_RECORDS(Impl)                                                            \
  extern "C" void SORTLAB_VARIANT_ENTRY(::sortlab::Variant& variant) {                            \
    variant =                                                                                     \
        ::sortlab::detail::describe_records<Impl>(SORTLAB_VARIANT_ID, SORTLAB_VARIANT_EXTENSION); \
  }                                                                                               \
  static_assert(true)

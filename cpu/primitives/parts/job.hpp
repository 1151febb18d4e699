// The job of one part, for the sorts of cpu/ranks. It has one C++ type per width of keys and values; the key type and
// the order are data. So each sort has 4 instances instead of 24.
#pragma once

#include <utility>
#include <vector>

#include "common/contract/key_map.hpp"
#include "common/contract/parts.hpp"

namespace sortlab::cpu::parts {

template <class BitsT, class ValueT>
struct RankJob {
  using Key = BitsT;  // the bits of one
  using Value = ValueT;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;

  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::size_t n;
  std::size_t capacity;
  std::size_t all_n;
  std::vector<Items<Key, Value>> alternates;  // of all parts, where they share memory
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  const Params& params;
  Communicator& parts;
  KeyKind keys;
  KeyMap<Key> map = KeyMap<Key>::of(keys);
};

template <class Bits, class Value>
RankJob<Bits, Value> job_of(const ErasedPartJob& e) {
  std::vector<Items<Bits, Value>> alternates;
  for (const auto& [keys, values] : e.alternates) {
    alternates.push_back(items_at<Bits, Value>(keys, values));
  }
  return {items_at<Bits, Value>(e.keys, e.values),
          items_at<Bits, Value>(e.alternate_keys, e.alternate_values),
          e.n,
          e.capacity,
          e.all_n,
          std::move(alternates),
          e.workspace,
          e.threads,
          e.isa,
          *e.params,
          *e.parts,
          {e.instance->key_type, e.instance->order}};
}

/// Calls sort(job) with the job of the right widths.
template <class Sort>
PartResult with_job(const ErasedPartJob& e, Sort sort) {
  const bool pairs = e.instance->value_bytes > 0;
  if (bytes_of(e.instance->key_type) == sizeof(std::uint32_t)) {
    return pairs ? sort(job_of<std::uint32_t, std::uint32_t>(e))
                 : sort(job_of<std::uint32_t, NoValue>(e));
  }
  return pairs ? sort(job_of<std::uint64_t, std::uint32_t>(e))
               : sort(job_of<std::uint64_t, NoValue>(e));
}

}  // namespace sortlab::cpu::parts

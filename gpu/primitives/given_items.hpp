// What a job's GivenItems say, for sorts of items as bits.
#pragma once

#include "common/contract/variant.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu {

/// Where the items are. Pairs that are to be numbered have no values there.
template <class Job>
auto given_items(const Job& job) {
  auto items = as_bits(job.data);
  using Bits = std::remove_pointer_t<decltype(items.keys)>;
  if (job.given.keys != nullptr) {
    items.keys = static_cast<Bits*>(const_cast<void*>(job.given.keys));
  }
  if constexpr (Job::kPairs) {
    if (job.given.values != nullptr) {
      items.values = static_cast<typename Job::Value*>(const_cast<void*>(job.given.values));
    }
    if (job.given.are_numbered) items.values = nullptr;
  }
  return items;
}

template <class Job>
KeyMap<BitsOf<typename Job::Key>> key_map_of(const Job& job) {
  using Key = typename Job::Key;
  return job.given.nans_last ? key_map_nans_last<Key, Job::kOrder>()
                             : key_map_of<Key, Job::kOrder>();
}

}  // namespace sortlab::gpu

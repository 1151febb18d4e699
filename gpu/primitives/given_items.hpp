// What a job's GivenItems say, for sorts of items as bits.
#pragma once

#include "common/contract/variant.hpp"
#include "gpu/primitives/equal_floats.hpp"
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

/// How it makes equal floats the same.
template <class Job>
EqualFloats<BitsOf<typename Job::Key>> equal_floats_of(const Job& job) {
  using Key = typename Job::Key;
  using Bits = BitsOf<Key>;
  if constexpr (std::is_floating_point_v<Key>) {
    constexpr auto kInfinity = std::bit_cast<Bits>(std::numeric_limits<Key>::infinity());
    if (job.given.equates_floats) return equal_floats(job.given.nans_last ? kInfinity : Bits{0});
  }
  return {};
}

}  // namespace sortlab::gpu

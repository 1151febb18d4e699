// Lets a library that sorts one range sort keys, or keys with values.
//
// Keys alone are sorted in place. No such library takes two arrays, so pairs are packed, as a user
// with two arrays would do. All of this counts as the sort's time:
//
//   keys    k0 k1 k2 ...   --pack-->   (k0,v0) (k1,v1) (k2,v2) ...   --sort, unpack-->   keys,
//   values values  v0 v1 v2 ...
//
// Packing reads every key anyway, so it also maps them to their ordered bits: the library then
// compares plain unsigned integers, whatever the type and the order, and needs one instantiation
// for each width. Bytes per pair: one read and one write of key, value and item each way, beside
// the sort itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>

#include "common/contract/key_map.hpp"
#include "common/contract/variant.hpp"

namespace sortlab::cpu::primitives::library {

/// A job whose key type and order are data: the keys are the bits of numbers, which the map puts in order. Sorts that
/// map keys to unsigned integers anyway take it in place of a Job: then there is one instance for each width of keys
/// and values, not one for each type and order.
template <class BitsT, class ValueT>
struct BitsJob {
  using Key = BitsT;
  using Value = ValueT;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;

  Items<Key, Value> data;
  std::size_t n;
  std::span<std::byte> workspace;
  int threads;
  KeyMap<Key> map;
};

/// What Impl::sort_erased does for it.
template <class Impl, class Job>
ResultIn sort_bits(const ErasedJob& e) {
  using Bits = BitsOf<typename Job::Key>;
  using Value = typename Job::Value;
  return Impl::sort(
      BitsJob<Bits, Value>{{static_cast<Bits*>(e.keys), static_cast<Value*>(e.values)},
                           e.n,
                           e.workspace,
                           e.threads,
                           KeyMap<Bits>::of({e.instance->key_type, e.instance->order})});
}

template <class Job>
using PackedItem = Item<typename Job::Key, typename Job::Value>;

struct PackedLess {
  template <class Packed>
  constexpr bool operator()(const Packed& a, const Packed& b) const {
    return a.key < b.key;
  }
};

/// The comparison of keys alone. For integers it is the standard one, which libraries recognize and
/// may have faster code for.
template <class Job, class Key = typename Job::Key>
using PlainLess = std::conditional_t<
    std::is_floating_point_v<Key>, typename Job::Less,
    std::conditional_t<Job::kOrder == Order::ascending, std::less<Key>, std::greater<Key>>>;

/// The workspace for the items of pairs; none for keys alone.
inline std::size_t packed_bytes(const WorkspaceRequest& request) {
  if (request.value_bytes == 0) return 0;
  const std::size_t alignment = std::max(request.key_bytes, request.value_bytes);
  const std::size_t unpadded = request.key_bytes + request.value_bytes;
  return request.n * ((unpadded + alignment - 1) / alignment * alignment);
}

/// Bases of sorts that map keys to their bits, those of pairs or all: one instance for each width.
template <class Impl>
struct MapsPairs {
  template <class Job>
  requires Job::kPairs static ResultIn sort_erased(const ErasedJob& job) {
    return sort_bits<Impl, Job>(job);
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return packed_bytes(request);
  }
};
template <class Impl>
struct MapsKeys : MapsPairs<Impl> {
  template <class Job>
  static ResultIn sort_erased(const ErasedJob& job) {
    return sort_bits<Impl, Job>(job);
  }
};

/// Packs and unpacks on the calling thread. Parallel libraries bring their own: for_chunks(n, body)
/// calls body(first, last) for ranges that together are [0, n).
struct OneChunk {
  template <class Body>
  void operator()(std::size_t n, Body body) const {
    body(std::size_t{0}, n);
  }
};

/// Packs the pairs of `job` into its workspace, calls sort(first, last) on the items, and unpacks
/// them.
template <class Packed, class Job, class Sort, class Chunks = OneChunk>
void sort_packed(const Job& job, Sort sort, Chunks for_chunks = {}) {
  auto* const items = reinterpret_cast<Packed*>(job.workspace.data());
  for_chunks(job.n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto [key, value] = job.data[i];
      items[i].key = job.map.ordered(key);
      items[i].value = value;
    }
  });
  sort(items, items + job.n);
  for_chunks(job.n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      job.data.put(i,
                   {job.map.key(items[i].key), static_cast<typename Job::Value>(items[i].value)});
    }
  });
}

/// Sorts by `sort(first, last, less)`, a comparison sort of one range.
template <class Job, class Sort, class Chunks = OneChunk>
ResultIn sort_by_library(const Job& job, Sort sort, Chunks for_chunks = {}) {
  if constexpr (Job::kPairs) {
    sort_packed<PackedItem<Job>>(
        job, [&](auto first, auto last) { sort(first, last, PackedLess{}); }, for_chunks);
  } else {
    sort(job.data.keys, job.data.keys + job.n, PlainLess<Job>{});
  }
  return ResultIn::data;
}

}  // namespace sortlab::cpu::primitives::library

// A library's version numbers as text, for Info::lib_version, which must be a literal.

#define SORTLAB_TEXT_OF(x) #x
#define SORTLAB_TEXT(x) SORTLAB_TEXT_OF(x)

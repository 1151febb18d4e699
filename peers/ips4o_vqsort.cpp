// IPS4o with Highway's VQSort for its small buckets: our own combination.
//
// source    Debian's packages libips4o-dev and libhwy-dev, as they are
// licence   BSD-2-Clause; Highway's is Apache-2.0
// threads   any number; IPS4o's pool of std::thread is the sort's state. Inputs below 8 KiB per
//           thread are sorted by one thread.
// orders    ascending
// pairs     u32 and u64 alone, packed into VQSort's K32V32 and uint128_t (8 and 16 bytes)
// limits    no floats, and no K64V64: VQSort 1.0.3 leaves some f32 unsorted, and loses values beside
//           the largest 64-bit key
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>
#include <functional>
#include <ips4o.hpp>
#include <vector>

#include "common.hpp"

namespace {

/// VQSort sorts buckets of up to twice as many keys, and inputs of up to 16 times as many.
constexpr std::ptrdiff_t kBaseCase = 4096;
using Config = ips4o::Config<true, kBaseCase>;
using Pool = ips4o::StdThreadPool;

/// A pair in VQSort's form. K64V64 names the two halves of uint128_t.
template <class Key>
using Item = std::conditional_t<sizeof(Key) == 4, hwy::K32V32, hwy::K64V64>;

struct Less {
  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    if constexpr (std::is_arithmetic_v<Key>)
      return a < b;
    else
      return a.key < b.key;
  }
};

/// It holds VQSort's buffer, one for each thread.
const hwy::Sorter& sorter() {
  thread_local const hwy::Sorter of_thread;
  return of_thread;
}

template <class T>
void vqsort(T* begin, T* end) {
  sorter()(begin, static_cast<size_t>(end - begin), hwy::SortAscending());
}

}  // namespace

// IPS4o sorts small buckets with this function, and its list of buckets. It is specialised here, so
// that its sources stay as they are.
namespace ips4o::detail {
template <>
inline void insertionSort(uint32_t* const begin, uint32_t* const end, Less) {
  vqsort(begin, end);
}
template <>
inline void insertionSort(int32_t* const begin, int32_t* const end, Less) {
  vqsort(begin, end);
}
template <>
inline void insertionSort(uint64_t* const begin, uint64_t* const end, Less) {
  vqsort(begin, end);
}
template <>
inline void insertionSort(int64_t* const begin, int64_t* const end, Less) {
  vqsort(begin, end);
}
template <>
inline void insertionSort(hwy::K32V32* const begin, hwy::K32V32* const end, Less) {
  vqsort(begin, end);
}
template <>
inline void insertionSort(hwy::K64V64* const begin, hwy::K64V64* const end, Less) {
  vqsort(reinterpret_cast<hwy::uint128_t*>(begin), reinterpret_cast<hwy::uint128_t*>(end));
}
using Tasks = std::vector<ParallelTask>::iterator;
template <>
inline void insertionSort(const Tasks begin, const Tasks end, std::greater<> greater) {
  std::sort(begin, end, greater);
}
}  // namespace ips4o::detail

namespace {

/// The pairs as items in the workspace: sort(first, last). `loop(n, f)` runs f(begin, end) on slices, so
/// that packing has as many threads as the sort.
template <class Key, class Loop, class Sort>
void sort_pairs(const sortlab_job* job, Loop loop, Sort sort) {
  auto* const keys = static_cast<Key*>(job->keys);
  auto* const values = static_cast<uint32_t*>(job->values);
  auto* const items = static_cast<Item<Key>*>(job->workspace);
  loop(job->n, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      items[i].key = keys[i];
      items[i].value = values[i];
    }
  });
  sort(items, items + job->n);
  loop(job->n, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      keys[i] = items[i].key;
      values[i] = static_cast<uint32_t>(items[i].value);
    }
  });
}

struct Sequential {
  static constexpr auto sort = [](auto first, auto last) {
    ips4o::sort<Config>(first, last, Less{});
  };
  template <class Key>
  static void keys(const sortlab_job* job) {
    peers::sort_keys<Key>(job, sort);
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    sort_pairs<Key>(job, peers::OneSlice{}, sort);
  }
};

struct Parallel {
  static auto sort_with(Pool& pool) {
    return [&](auto first, auto last) { ips4o::parallel::sort<Config>(first, last, Less{}, pool); };
  }
  template <class Key>
  static void keys(const sortlab_job* job) {
    peers::sort_keys<Key>(job, sort_with(*static_cast<Pool*>(job->state)));
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    Pool& pool = *static_cast<Pool*>(job->state);
    sort_pairs<Key>(job, peers::PoolSlices<Pool>{pool}, sort_with(pool));
  }
};

// Its buffers are blocks of 2 KiB for each bucket and thread, for any n.
template <class Sort>
constexpr auto instances() {
  return peers::both(peers::keys_of<Sort, uint32_t, int32_t, uint64_t, int64_t>(SORTLAB_IN_PLACE |
                                                                                SORTLAB_ALLOCATES),
                     peers::pairs_of<Sort, uint32_t, uint64_t>(SORTLAB_ALLOCATES));
}
constexpr auto kSequential = instances<Sequential>();
constexpr auto kParallel = instances<Parallel>();

/// The best instruction set of this machine for which VQSort has code.
const char* isa() { return hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets()); }

const sortlab_plugin_sort sorts[] = {
    {.name = "sequential",
     .summary = "ips4o::sort, buckets of up to 8,192 keys by VQSort",
     .isa = isa(),
     .instances = kSequential.data(),
     .instance_count = kSequential.size(),
     .workspace_bytes = peers::items_bytes},
    {.name = "parallel",
     .summary = "ips4o::parallel::sort, likewise",
     .isa = isa(),
     .traits = SORTLAB_PARALLEL,
     .instances = kParallel.data(),
     .instance_count = kParallel.size(),
     .workspace_bytes = peers::items_bytes,
     .create = peers::create<Pool>,
     .destroy = peers::destroy<Pool>}};

}  // namespace

SORTLAB_PLUGIN("ips4o_vqsort", PEER_VERSION, sorts)

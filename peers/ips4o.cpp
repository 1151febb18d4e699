// IPS4o: in-place parallel super scalar samplesort, by its authors (Axtmann et al. 2022).
//
// source    github.com/ips4o/ips4o, commit 08a5b926 of 2025-01-15, newer than Debian's package
// licence   BSD-2-Clause
// threads   any number; its pool of std::thread is the sort's state. Inputs below 8 KiB per thread
//           are sorted by one thread.
// orders    by `<`: floats without NaN and -0
// pairs     packed into items
#include <ips4o.hpp>

#include "common.hpp"

namespace {

using Pool = ips4o::StdThreadPool;

struct Sequential {
  static constexpr auto sort = [](auto first, auto last) { ips4o::sort(first, last); };
  template <class Key>
  static void keys(const sortlab_job* job) {
    peers::sort_keys<Key>(job, sort);
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    peers::sort_packed<Key>(job, peers::OneSlice{}, sort);
  }
};

struct Parallel {
  static auto sort_with(Pool& pool) {
    return [&](auto first, auto last) { ips4o::parallel::sort(first, last, std::less<>{}, pool); };
  }
  template <class Key>
  static void keys(const sortlab_job* job) {
    peers::sort_keys<Key>(job, sort_with(*static_cast<Pool*>(job->state)));
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    Pool& pool = *static_cast<Pool*>(job->state);
    peers::sort_packed<Key>(job, peers::PoolSlices<Pool>{pool}, sort_with(pool));
  }
};

// Its buffers are blocks of 2 KiB for each bucket and thread, whatever n is.
constexpr uint32_t kKeys = SORTLAB_IN_PLACE | SORTLAB_ALLOCATES;
constexpr auto kSequential = peers::all_types<Sequential>(kKeys, SORTLAB_ALLOCATES);
constexpr auto kParallel = peers::all_types<Parallel>(kKeys, SORTLAB_ALLOCATES);

const sortlab_sort sorts[] = {{.name = "sequential",
                               .summary = "ips4o::sort",
                               .instances = kSequential.data(),
                               .instance_count = kSequential.size(),
                               .workspace_bytes = peers::items_bytes},
                              {.name = "parallel",
                               .summary = "ips4o::parallel::sort",
                               .traits = SORTLAB_PARALLEL,
                               .instances = kParallel.data(),
                               .instance_count = kParallel.size(),
                               .workspace_bytes = peers::items_bytes,
                               .create = peers::create<Pool>,
                               .destroy = peers::destroy<Pool>}};

}  // namespace

SORTLAB_PLUGIN("ips4o", PEER_VERSION, sorts)

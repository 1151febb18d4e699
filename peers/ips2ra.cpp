// IPS2Ra: in-place parallel super scalar radix sort, by the authors of IPS4o (Axtmann et al. 2022).
//
// source    github.com/ips4o/ips2ra, commit ef340763 of 2025-01-15
// licence   BSD-2-Clause
// threads   any number; its pool of std::thread is the sort's state. Small inputs are sorted by one.
// orders    takes the keys' ordered bits, and so sorts all floats
// pairs     packed into items
#include <ips2ra.hpp>

#include "common.hpp"

namespace {

using Pool = ips2ra::StdThreadPool;

struct Sequential {
  static constexpr auto sort = [](auto first, auto last) {
    ips2ra::sort(first, last, peers::OrderedBits{});
  };
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
    return [&](auto first, auto last) {
      ips2ra::parallel::sort(first, last, peers::OrderedBits{}, pool);
    };
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

// Its buffers are blocks for each bucket and thread, whatever n is.
constexpr uint32_t kPairs = SORTLAB_ALLOCATES | SORTLAB_TOTAL_ORDER;
constexpr uint32_t kKeys = kPairs | SORTLAB_IN_PLACE;
constexpr auto kSequential = peers::all_types<Sequential>(kKeys, kPairs);
constexpr auto kParallel = peers::all_types<Parallel>(kKeys, kPairs);

const sortlab_sort sorts[] = {{.name = "sequential",
                               .summary = "ips2ra::sort",
                               .instances = kSequential.data(),
                               .instance_count = kSequential.size(),
                               .workspace_bytes = peers::items_bytes},
                              {.name = "parallel",
                               .summary = "ips2ra::parallel::sort",
                               .traits = SORTLAB_PARALLEL,
                               .instances = kParallel.data(),
                               .instance_count = kParallel.size(),
                               .workspace_bytes = peers::items_bytes,
                               .create = peers::create<Pool>,
                               .destroy = peers::destroy<Pool>}};

}  // namespace

SORTLAB_PLUGIN("ips2ra", PEER_VERSION, sorts)

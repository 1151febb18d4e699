// VQSort: Highway's vectorised quicksort (Blacher et al. 2022), newer than Debian's package.
//
// source    github.com/google/highway, commit 23907139 of 2026-08-22, with its dispatch at run time
//           among the instruction sets that the compiler knows; clang knows more than GCC 12
// licence   Apache-2.0 or BSD-3-Clause
// threads   1
// orders    by `<`, both directions: floats without NaN and -0
// pairs     u32 and u64 alone, packed into its K32V32 and K64V64 (8 and 16 bytes)
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include "common.hpp"

namespace {

template <class Item>
void sort(const sortlab_job* job, Item* items) {
  if (job->order == SORTLAB_DESCENDING)
    hwy::VQSort(items, job->n, hwy::SortDescending());
  else
    hwy::VQSort(items, job->n, hwy::SortAscending());
}

struct Vqsort {
  template <class Key>
  static void keys(const sortlab_job* job) {
    sort(job, static_cast<Key*>(job->keys));
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    using Item = std::conditional_t<sizeof(Key) == 4, hwy::K32V32, hwy::K64V64>;
    auto* const keys = static_cast<Key*>(job->keys);
    auto* const values = static_cast<uint32_t*>(job->values);
    auto* const items = static_cast<Item*>(job->workspace);
    for (size_t i = 0; i < job->n; ++i) {
      items[i].key = keys[i];
      items[i].value = values[i];
    }
    sort(job, items);
    for (size_t i = 0; i < job->n; ++i) {
      keys[i] = items[i].key;
      values[i] = static_cast<uint32_t>(items[i].value);
    }
  }
};

constexpr auto kInstances = [] {
  auto all = peers::both(
      peers::keys_of<Vqsort, uint32_t, int32_t, uint64_t, int64_t, float, double>(SORTLAB_IN_PLACE),
      peers::pairs_of<Vqsort, uint32_t, uint64_t>(0));
  for (auto& instance : all) instance.orders = SORTLAB_ASCENDING | SORTLAB_DESCENDING;
  return all;
}();

/// The best instruction set of this machine for which the library holds code.
const char* isa() { return hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets()); }

const sortlab_sort sorts[] = {{.name = "vqsort",
                               .summary = "hwy::VQSort",
                               .isa = isa(),
                               .instances = kInstances.data(),
                               .instance_count = kInstances.size(),
                               .workspace_bytes = peers::items_bytes}};

}  // namespace

SORTLAB_PLUGIN("highway", PEER_VERSION, sorts)

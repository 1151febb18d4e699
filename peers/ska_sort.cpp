// ska_sort: an in-place radix sort (American flag), and ska_sort_copy with a second buffer, by Malte
// Skarupke.
//
// source    github.com/skarupke/ska_sort, commit 2c14d4bf of 2017-05-15
// licence   BSL-1.0
// threads   1
// orders    radix passes go by the bits of a float, but up to 128 keys it uses std::sort and `<`: floats
//           without NaN and -0
// pairs     packed into items
#include <ska_sort.hpp>

#include "common.hpp"

namespace {

/// The key of a key and of an item.
struct KeyOf {
  template <class Key>
  Key operator()(const Key& key) const {
    return key;
  }
  template <class Key>
  Key operator()(const peers::Item<Key>& item) const {
    return item.key;
  }
};

struct InPlace {
  static constexpr auto sort = [](auto first, auto last) { ska_sort(first, last, KeyOf{}); };
  template <class Key>
  static void keys(const sortlab_job* job) {
    peers::sort_keys<Key>(job, sort);
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    peers::sort_packed<Key>(job, peers::OneSlice{}, sort);
  }
};

template <class Key>
int32_t copying_sort(const sortlab_job* job) {
  auto* const keys = static_cast<Key*>(job->keys);
  auto* const other = static_cast<Key*>(job->alternate_keys);
  return ska_sort_copy(keys, keys + job->n, other) ? SORTLAB_IN_ALTERNATE : SORTLAB_IN_KEYS;
}

template <class... Key>
constexpr std::array<sortlab_instance, sizeof...(Key)> copying_instances() {
  return {{{.key_types = peers::type_of<Key>(),
            .traits = SORTLAB_ALTERNATE,
            .sort = copying_sort<Key>}...}};
}

constexpr auto kInPlace = peers::all_types<InPlace>(SORTLAB_IN_PLACE, 0);
constexpr auto kCopying = copying_instances<uint32_t, int32_t, uint64_t, int64_t, float, double>();

const sortlab_sort sorts[] = {{.name = "ska_sort",
                               .summary = "ska_sort, in place",
                               .instances = kInPlace.data(),
                               .instance_count = kInPlace.size(),
                               .workspace_bytes = peers::items_bytes},
                              {.name = "ska_sort_copy",
                               .summary = "ska_sort_copy, least significant digit first",
                               .instances = kCopying.data(),
                               .instance_count = kCopying.size()}};

}  // namespace

SORTLAB_PLUGIN("ska_sort", PEER_VERSION, sorts)

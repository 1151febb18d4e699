// Helpers for plug-ins around C++ libraries: loops over slices, a pool as state, exceptions as
// codes, lists of instances.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <type_traits>

#include "sortlab_plugin.h"

namespace peers {

template <class Key>
constexpr uint32_t type_of() {
  if constexpr (std::is_same_v<Key, uint32_t>) return SORTLAB_U32;
  if constexpr (std::is_same_v<Key, int32_t>) return SORTLAB_I32;
  if constexpr (std::is_same_v<Key, uint64_t>) return SORTLAB_U64;
  if constexpr (std::is_same_v<Key, int64_t>) return SORTLAB_I64;
}

/// Runs f(begin, end) once for all of [0, n): the loop of a sequential sort.
struct OneSlice {
  template <class F>
  void operator()(size_t n, F f) const {
    f(size_t{0}, n);
  }
};

/// The same on the threads of a pool that runs f(thread, threads), such as IPS4o's.
template <class Pool>
struct PoolSlices {
  Pool& pool;
  template <class F>
  void operator()(size_t n, F f) const {
    pool([=](int id, int threads) {
      const auto part = static_cast<size_t>(id), parts = static_cast<size_t>(threads);
      f(n * part / parts, n * (part + 1) / parts);
    });
  }
};

/// The keys alone: sort(first, last).
template <class Key, class Sort>
void sort_keys(const sortlab_job* job, Sort sort) {
  auto* const keys = static_cast<Key*>(job->keys);
  sort(keys, keys + job->n);
}

inline size_t key_bytes(const sortlab_job* job) {
  return (job->key_type & (SORTLAB_U64 | SORTLAB_I64)) != 0 ? 8 : 4;
}

/// For sortlab_plugin_sort.workspace_bytes: room for pairs as items of twice a key's bytes, nothing for keys
/// alone.
inline int32_t items_bytes(const sortlab_job* job, size_t* bytes) {
  if (job->value_bytes != 0) *bytes = job->n * 2 * key_bytes(job);
  return SORTLAB_OK;
}

/// Runs f; turns an exception into its code and message.
template <class F>
int32_t guarded(const sortlab_job* job, F f) try {
  f();
  return SORTLAB_OK;
} catch (const std::bad_alloc&) {
  return SORTLAB_NO_MEMORY;
} catch (const std::exception& error) {
  std::snprintf(job->message, job->message_bytes, "%s", error.what());
  return SORTLAB_FAILED;
}

/// sortlab_plugin_sort.create and destroy of a state that is a pool of job->threads threads.
template <class Pool>
int32_t create(const sortlab_job* job, void** state) {
  return guarded(job, [=] { *state = new Pool(job->threads); });
}
template <class Pool>
void destroy(void* state) {
  delete static_cast<Pool*>(state);
}

/// sortlab_instance.sort of a function that leaves the result in the keys and may throw. Fewer than
/// two keys never reach it.
template <void (*sort)(const sortlab_job*)>
int32_t in_keys(const sortlab_job* job) {
  static_assert(SORTLAB_OK == SORTLAB_IN_KEYS);
  return job->n < 2 ? SORTLAB_IN_KEYS : guarded(job, [=] { sort(job); });
}

/// An instance for each type of key, for keys alone: Sort::keys<Key>(job).
template <class Sort, class... Key>
constexpr std::array<sortlab_instance, sizeof...(Key)> keys_of(uint32_t traits) {
  return {{{.key_types = type_of<Key>(),
            .traits = traits,
            .sort = in_keys<Sort::template keys<Key>>}...}};
}

/// Likewise for pairs: Sort::pairs<Key>(job).
template <class Sort, class... Key>
constexpr std::array<sortlab_instance, sizeof...(Key)> pairs_of(uint32_t traits) {
  return {{{.key_types = type_of<Key>(),
            .values = SORTLAB_VALUES_4,
            .traits = traits,
            .sort = in_keys<Sort::template pairs<Key>>}...}};
}

/// One list after the other.
template <size_t A, size_t B>
constexpr std::array<sortlab_instance, A + B> both(const std::array<sortlab_instance, A>& a,
                                                   const std::array<sortlab_instance, B>& b) {
  std::array<sortlab_instance, A + B> all{};
  std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), all.begin()));
  return all;
}

}  // namespace peers

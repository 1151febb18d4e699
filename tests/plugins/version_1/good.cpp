// A plug-in made for version 1 of the interface, which still loads. It uses everything in that
// header: every type, pairs, both orders, the alternate buffer, a workspace, threads, several
// sorts. It fails if the harness breaks its promises.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>

#include "common/contract/key_types.hpp"
#include "tests/plugins/version_1/sortlab_plugin.h"

namespace {

using namespace sortlab;

int32_t fail(const sortlab_job* job, const char* why) {
  std::snprintf(job->message, job->message_bytes, "%s", why);
  return SORTLAB_FAILED;
}

template <class Key, Order kOrder>
void by_indices(const sortlab_job* job) {
  const auto* const keys = static_cast<const Key*>(job->keys);
  auto* const sorted = static_cast<Key*>(job->alternate_keys);
  auto* const indices = static_cast<std::uint32_t*>(job->workspace);
  std::iota(indices, indices + job->n, 0u);
  std::stable_sort(indices, indices + job->n, [=](std::uint32_t a, std::uint32_t b) {
    return KeyLess<Key, kOrder>{}(keys[a], keys[b]);
  });
  for (std::size_t i = 0; i < job->n; ++i) {
    sorted[i] = keys[indices[i]];
    if (job->values != nullptr) job->alternate_values[i] = job->values[indices[i]];
  }
}

template <class Key>
void by_indices_in_order(const sortlab_job* job) {
  job->descending != 0 ? by_indices<Key, Order::descending>(job)
                       : by_indices<Key, Order::ascending>(job);
}

int32_t everything(const sortlab_job* job) {
  if (job->workspace_bytes < 4 * job->n) return fail(job, "too small a workspace");
  if (reinterpret_cast<std::uintptr_t>(job->workspace) % 256 != 0) return fail(job, "misaligned");
  if (job->message_bytes < 256 || job->message[0] != '\0')
    return fail(job, "no room for a message");
  if (job->threads < 1 || job->stream != nullptr) return fail(job, "not for the host");
  if ((job->values == nullptr) != (job->alternate_values == nullptr)) return fail(job, "values");
  switch (job->key_type) {
    case SORTLAB_U32:
      by_indices_in_order<std::uint32_t>(job);
      break;
    case SORTLAB_I32:
      by_indices_in_order<std::int32_t>(job);
      break;
    case SORTLAB_U64:
      by_indices_in_order<std::uint64_t>(job);
      break;
    case SORTLAB_I64:
      by_indices_in_order<std::int64_t>(job);
      break;
    case SORTLAB_F32:
      by_indices_in_order<float>(job);
      break;
    case SORTLAB_F64:
      by_indices_in_order<double>(job);
      break;
    default:
      return fail(job, "unknown key type");
  }
  return SORTLAB_IN_ALTERNATE;
}

size_t four_bytes_a_key(size_t n, size_t, size_t, int32_t) { return 4 * n; }

// The simplest sort: only u32, and nothing declared.
int32_t plain(const sortlab_job* job) {
  if (job->alternate_keys != nullptr || job->values != nullptr) return fail(job, "not asked for");
  auto* const keys = static_cast<std::uint32_t*>(job->keys);
  std::sort(keys, keys + job->n);
  return SORTLAB_IN_KEYS;
}

const sortlab_sort sorts[] = {
    {"everything",
     "sorts indices, in C++ \xC3\xBCn\xC3\xAF"
     "code",
     SORTLAB_ALL_KEYS,
     SORTLAB_STABLE | SORTLAB_PARALLEL | SORTLAB_PAIRS | SORTLAB_DESCENDING | SORTLAB_ALTERNATE |
         SORTLAB_TOTAL_ORDER,
     everything, four_bytes_a_key},
    {"plain", "std::sort", SORTLAB_U32, 0, plain, nullptr},
};

}  // namespace

SORTLAB_PLUGIN("version_1", "2.5, \"final\"", sorts)

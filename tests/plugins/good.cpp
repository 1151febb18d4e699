// A plug-in that uses everything in the header: every type, pairs, both orders, the alternate
// buffer, a workspace, a state, threads, instances with traits of their own, several sorts. It
// fails if the harness breaks its promises.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "common/contract/key_types.hpp"
#include "include/sortlab_plugin.h"

namespace {

using namespace sortlab;

int32_t fail(const sortlab_job* job, const char* why) {
  std::snprintf(job->message, job->message_bytes, "%s", why);
  return SORTLAB_FAILED;
}

bool aligned(const void* pointer, std::uintptr_t to) {
  return reinterpret_cast<std::uintptr_t>(pointer) % to == 0;
}

template <class Key, Order kOrder>
void by_indices(const sortlab_job* job) {
  const auto* const keys = static_cast<const Key*>(job->keys);
  const auto* const values = static_cast<const std::uint32_t*>(job->values);
  auto* const sorted = static_cast<Key*>(job->alternate_keys);
  auto* const sorted_values = static_cast<std::uint32_t*>(job->alternate_values);
  auto* const indices = static_cast<std::uint32_t*>(job->workspace);
  std::iota(indices, indices + job->n, 0u);
  std::stable_sort(indices, indices + job->n, [=](std::uint32_t a, std::uint32_t b) {
    return KeyLess<Key, kOrder>{}(keys[a], keys[b]);
  });
  for (std::size_t i = 0; i < job->n; ++i) {
    sorted[i] = keys[indices[i]];
    if (values != nullptr) sorted_values[i] = values[indices[i]];
  }
}

// The values of a configuration that must stay equal from create() to destroy().
struct State {
  std::uint32_t key_type;
  std::size_t n;
  std::int32_t threads;
};

int32_t create(const sortlab_job* job, void** state) {
  if (job->keys != nullptr || job->workspace != nullptr) return fail(job, "buffers, too early");
  if (*state != nullptr || job->message[0] != '\0') return fail(job, "not empty");
  *state = new State{job->key_type, job->n, job->threads};
  return SORTLAB_OK;
}

void destroy(void* state) { delete static_cast<State*>(state); }

int32_t workspace_bytes(const sortlab_job* job, size_t* bytes) {
  if (job->size != sizeof *job || job->state != nullptr) return fail(job, "no job of this version");
  if (job->value_bytes != 0 && job->value_bytes != 4) return fail(job, "values not asked for");
  *bytes = 4 * job->n;
  return SORTLAB_OK;
}

// Checks the job of every sort.
const char* fault_of(const sortlab_job* job) {
  for (const void* buffer : {job->keys, job->values, job->alternate_keys, job->alternate_values}) {
    if (!aligned(buffer, 64)) return "a buffer that is not aligned to 64 bytes";
  }
  if (!aligned(job->workspace, 256)) return "a workspace that is not aligned to 256 bytes";
  if (job->size != sizeof *job) return "another size of job";
  if (job->message_bytes < 256 || job->message[0] != '\0') return "no room for a message";
  if (job->threads < 1 || job->stream != nullptr) return "not for the host";
  if ((job->values == nullptr) != (job->value_bytes == 0)) return "values";
  return nullptr;
}

template <class Key>
int32_t everything(const sortlab_job* job) {
  if (const char* const fault = fault_of(job)) return fail(job, fault);
  if (job->workspace_bytes < 4 * job->n) return fail(job, "too small a workspace");
  if ((job->values == nullptr) != (job->alternate_values == nullptr)) return fail(job, "values");
  if (job->key_type != 1u << static_cast<int>(key_type_of<Key>())) return fail(job, "key type");
  const auto* const state = static_cast<const State*>(job->state);
  if (state == nullptr || state->key_type != job->key_type || state->n != job->n ||
      state->threads != job->threads) {
    return fail(job, "the state of another configuration");
  }
  job->order == SORTLAB_DESCENDING ? by_indices<Key, Order::descending>(job)
                                   : by_indices<Key, Order::ascending>(job);
  return SORTLAB_IN_ALTERNATE;
}

template <class Key>
constexpr sortlab_instance instance_of(std::uint32_t key_type) {
  return {key_type, SORTLAB_NO_VALUES | SORTLAB_VALUES_4, SORTLAB_ASCENDING | SORTLAB_DESCENDING,
          SORTLAB_STABLE | SORTLAB_ALTERNATE | SORTLAB_TOTAL_ORDER, everything<Key>};
}

const sortlab_instance of_everything[] = {
    instance_of<std::uint32_t>(SORTLAB_U32), instance_of<std::int32_t>(SORTLAB_I32),
    instance_of<std::uint64_t>(SORTLAB_U64), instance_of<std::int64_t>(SORTLAB_I64),
    instance_of<float>(SORTLAB_F32),         instance_of<double>(SORTLAB_F64)};

// The simplest sort: only u32, and nothing declared.
int32_t plain(const sortlab_job* job) {
  if (const char* const fault = fault_of(job)) return fail(job, fault);
  if (job->alternate_keys != nullptr || job->values != nullptr || job->state != nullptr) {
    return fail(job, "not asked for");
  }
  auto* const keys = static_cast<std::uint32_t*>(job->keys);
  std::sort(keys, keys + job->n);
  return SORTLAB_IN_KEYS;
}

const sortlab_instance of_plain[] = {{SORTLAB_U32, 0, 0, 0, plain}};

// Keys in place; pairs of u64 only, packed into a workspace, and stable.
int32_t mixed_keys(const sortlab_job* job) {
  return job->workspace_bytes == 0 ? plain(job) : fail(job, "a workspace for keys alone");
}

int32_t mixed_pairs(const sortlab_job* job) {
  if (job->key_type != SORTLAB_U64 || job->order != SORTLAB_ASCENDING) return fail(job, "types");
  struct Item {
    std::uint64_t key;
    std::uint32_t value;
  };
  auto* const keys = static_cast<std::uint64_t*>(job->keys);
  auto* const values = static_cast<std::uint32_t*>(job->values);
  auto* const items = static_cast<Item*>(job->workspace);
  for (std::size_t i = 0; i < job->n; ++i) items[i] = {keys[i], values[i]};
  std::stable_sort(items, items + job->n,
                   [](const Item& a, const Item& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < job->n; ++i) {
    keys[i] = items[i].key;
    values[i] = items[i].value;
  }
  return SORTLAB_IN_KEYS;
}

int32_t mixed_workspace(const sortlab_job* job, size_t* bytes) {
  if (job->value_bytes != 0) *bytes = 16 * job->n;
  return SORTLAB_OK;
}

const sortlab_instance of_mixed[] = {
    {SORTLAB_U32, SORTLAB_NO_VALUES, 0, SORTLAB_IN_PLACE, mixed_keys},
    {SORTLAB_U64, SORTLAB_VALUES_4, 0, SORTLAB_STABLE | SORTLAB_ALLOCATES, mixed_pairs},
    {SORTLAB_F64, SORTLAB_VALUES_8 | SORTLAB_VALUES_16, 0, 0, mixed_pairs}};

// Never frees a second array, like libraries with pools of memory.
int32_t keeps(const sortlab_job* job) {
  static char* kept = nullptr;
  static std::size_t kept_bytes = 0;
  if (kept_bytes < 4 * job->n) {
    kept_bytes = 4 * job->n;
    kept = static_cast<char*>(std::realloc(kept, kept_bytes));
  }
  return kept == nullptr && job->n > 0 ? SORTLAB_NO_MEMORY : plain(job);
}

const sortlab_instance of_keeps[] = {{SORTLAB_U32, 0, 0, SORTLAB_KEEPS_MEMORY, keeps}};

const sortlab_plugin_sort sorts[] = {
    {"everything",
     "sorts indices, in C++ \xC3\xBCn\xC3\xAF"
     "code",
     nullptr, nullptr, SORTLAB_PARALLEL, of_everything, SORTLAB_COUNT(of_everything),
     workspace_bytes, create, destroy},
    {"plain", "std::sort", "its own", "avx7", 0, of_plain, 1, nullptr, nullptr, nullptr},
    {"mixed", nullptr, nullptr, nullptr, 0, of_mixed, SORTLAB_COUNT(of_mixed), mixed_workspace,
     nullptr, nullptr},
    {"keeps", "", nullptr, nullptr, 0, of_keeps, 1, nullptr, nullptr, nullptr},
};

}  // namespace

SORTLAB_PLUGIN("good", "2.5, \"final\"", sorts)

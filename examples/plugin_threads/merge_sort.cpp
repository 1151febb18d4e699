// A plug-in for `sortlab --plugin`: a stable merge sort on several threads, of keys and of pairs.
//
// Each thread sorts one slice. Then runs are merged two at a time, from one buffer to the other and
// back. Pairs are packed into items of key and value before, and unpacked after; the clock counts
// both. The threads are the sort's state: they start before the clock and live until destroy().
#include <algorithm>
#include <barrier>
#include <cstdio>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "sortlab_plugin.h"

namespace {

/// Threads that wait for work. The calling thread is one of them.
class Pool {
 public:
  explicit Pool(int threads) : begin_(threads), end_(threads) {
    for (int t = 1; t < threads; ++t) threads_.emplace_back([this, t] { serve(t); });
  }
  ~Pool() {
    task_ = nullptr;
    begin_.arrive_and_wait();
  }
  int threads() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls task(t) on each thread t.
  void run(const std::function<void(int)>& task) {
    task_ = &task;
    begin_.arrive_and_wait();
    task(0);
    end_.arrive_and_wait();
  }

 private:
  void serve(int t) {
    while (true) {
      begin_.arrive_and_wait();
      if (task_ == nullptr) return;
      (*task_)(t);
      end_.arrive_and_wait();
    }
  }

  const std::function<void(int)>* task_ = nullptr;
  std::barrier<> begin_, end_;
  std::vector<std::jthread> threads_;
};

template <class Key>
struct Item {
  Key key;
  uint32_t value;
  bool operator<(const Item& other) const { return key < other.key; }
};

/// Sorts `data`; returns `data` or `other`, where the result is.
template <class T>
T* merge_sort(T* data, T* other, size_t n, Pool& pool) {
  const auto slices = static_cast<size_t>(pool.threads());
  const auto bound = [=](size_t slice) { return n / slices * slice + std::min(slice, n % slices); };
  pool.run([&](int t) {
    const auto slice = static_cast<size_t>(t);
    std::stable_sort(data + bound(slice), data + bound(slice + 1));
  });
  for (size_t width = 1; width < slices; width *= 2) {
    pool.run([&](int t) {
      const auto first = 2 * width * static_cast<size_t>(t);
      if (first >= slices) return;
      const size_t begin = bound(first);
      const size_t middle = bound(std::min(first + width, slices));
      const size_t end = bound(std::min(first + 2 * width, slices));
      std::merge(data + begin, data + middle, data + middle, data + end, other + begin);
    });
    std::swap(data, other);
  }
  return data;
}

template <class Key>
int32_t sort_keys(const sortlab_job* job) {
  auto* const keys = static_cast<Key*>(job->keys);
  auto* const other = static_cast<Key*>(job->alternate_keys);
  const Key* const sorted = merge_sort(keys, other, job->n, *static_cast<Pool*>(job->state));
  return sorted == keys ? SORTLAB_IN_KEYS : SORTLAB_IN_ALTERNATE;
}

template <class Key>
int32_t sort_pairs(const sortlab_job* job) {
  auto* const keys = static_cast<Key*>(job->keys);
  auto* const values = static_cast<uint32_t*>(job->values);
  auto* const items = static_cast<Item<Key>*>(job->workspace);
  for (size_t i = 0; i < job->n; ++i) items[i] = {keys[i], values[i]};
  const Item<Key>* const sorted =
      merge_sort(items, items + job->n, job->n, *static_cast<Pool*>(job->state));
  for (size_t i = 0; i < job->n; ++i) {
    keys[i] = sorted[i].key;
    values[i] = sorted[i].value;
  }
  return SORTLAB_IN_KEYS;
}

/// Two arrays of items for pairs; keys alone have the alternate buffer.
int32_t workspace_bytes(const sortlab_job* job, size_t* bytes) {
  const bool wide = job->key_type == SORTLAB_U64 || job->key_type == SORTLAB_F64;
  const size_t item_bytes = wide ? sizeof(Item<uint64_t>) : sizeof(Item<uint32_t>);
  if (job->value_bytes != 0) *bytes = 2 * job->n * item_bytes;
  return SORTLAB_OK;
}

int32_t create(const sortlab_job* job, void** state) try {
  *state = new Pool(job->threads);
  return SORTLAB_OK;
} catch (const std::exception& error) {
  std::snprintf(job->message, job->message_bytes, "%s", error.what());
  return SORTLAB_FAILED;
}

void destroy(void* state) { delete static_cast<Pool*>(state); }

constexpr uint32_t kTraits = SORTLAB_STABLE | SORTLAB_ALLOCATES;  // std::stable_sort allocates

template <class Key>
constexpr sortlab_instance keys_of(uint32_t type) {
  return {.key_types = type, .traits = kTraits | SORTLAB_ALTERNATE, .sort = sort_keys<Key>};
}

template <class Key>
constexpr sortlab_instance pairs_of(uint32_t type) {
  return {
      .key_types = type, .values = SORTLAB_VALUES_4, .traits = kTraits, .sort = sort_pairs<Key>};
}

const sortlab_instance instances[] = {
    keys_of<uint32_t>(SORTLAB_U32), pairs_of<uint32_t>(SORTLAB_U32),
    keys_of<uint64_t>(SORTLAB_U64), pairs_of<uint64_t>(SORTLAB_U64),
    keys_of<float>(SORTLAB_F32),    pairs_of<float>(SORTLAB_F32),
    keys_of<double>(SORTLAB_F64),   pairs_of<double>(SORTLAB_F64)};

const sortlab_plugin_sort sorts[] = {{.name = "merge_sort",
                                      .summary = "sorted slices, merged two at a time",
                                      .traits = SORTLAB_PARALLEL,
                                      .instances = instances,
                                      .instance_count = SORTLAB_COUNT(instances),
                                      .workspace_bytes = workspace_bytes,
                                      .create = create,
                                      .destroy = destroy}};

}  // namespace

SORTLAB_PLUGIN("example_threads", "1.0", sorts)

// RADULS2: a parallel radix sort, most significant digit first (Kokot et al. 2017).
//
// source    github.com/refresh-bio/RADULS, commit 1c0ea5dd of 2019-10-16
// licence   GPL-3.0 (so is a plug-in that holds it)
// threads   any number, started anew in each call
// orders    u64 ascending alone: it sorts records of whole 8 bytes by the bytes of an unsigned key
// pairs     packed into records of 16 bytes
// memory    needs arrays aligned to 256 bytes. Keys that are not so aligned are copied first and
//           copied back, within the clock; a second array is in the workspace.
#include <raduls.h>

#include <cstring>
#include <thread>
#include <vector>

#include "common.hpp"

namespace {

constexpr size_t kAlignment = raduls::ALIGNMENT;

size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
size_t record_bytes(const sortlab_job* job) { return job->value_bytes == 0 ? 8 : 16; }

/// Two arrays of records: the input's copy or the packed pairs, and the sort's second array.
int32_t workspace_bytes(const sortlab_job* job, size_t* bytes) {
  *bytes = 2 * padded(job->n * record_bytes(job));
  return SORTLAB_OK;
}

struct Slices {
  size_t threads;
  template <class F>
  void operator()(size_t n, F f) const {
    std::vector<std::jthread> others;
    for (size_t t = 1; t < threads; ++t)
      others.emplace_back(f, n * t / threads, n * (t + 1) / threads);
    f(size_t{0}, n / threads);
  }
};

struct Raduls {
  /// Sorts records; with a key of 8 bytes the result is where the input was.
  static void sort(const sortlab_job* job, void* records) {
    auto* const second = static_cast<uint8_t*>(job->workspace) + padded(job->n * record_bytes(job));
    raduls::RadixSortMSD(static_cast<uint8_t*>(records), second, job->n,
                         static_cast<uint32_t>(record_bytes(job)), 8,
                         static_cast<uint32_t>(job->threads));
  }

  template <class Key>
  static void keys(const sortlab_job* job) {
    auto* const keys = static_cast<Key*>(job->keys);
    auto* const copy = static_cast<Key*>(job->workspace);
    if (reinterpret_cast<uintptr_t>(keys) % kAlignment == 0) return sort(job, keys);
    const Slices slices{static_cast<size_t>(job->threads)};
    slices(job->n,
           [=](size_t begin, size_t end) { std::copy(keys + begin, keys + end, copy + begin); });
    sort(job, copy);
    slices(job->n,
           [=](size_t begin, size_t end) { std::copy(copy + begin, copy + end, keys + begin); });
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    peers::sort_packed<Key>(job, Slices{static_cast<size_t>(job->threads)},
                            [=](auto* first, auto*) { sort(job, first); });
  }
};

constexpr auto kInstances = peers::both(peers::keys_of<Raduls, uint64_t>(SORTLAB_ALLOCATES),
                                        peers::pairs_of<Raduls, uint64_t>(SORTLAB_ALLOCATES));

const sortlab_sort sorts[] = {{.name = "msd",
                               .summary = "raduls::RadixSortMSD",
                               .traits = SORTLAB_PARALLEL,
                               .instances = kInstances.data(),
                               .instance_count = kInstances.size(),
                               .workspace_bytes = workspace_bytes}};

}  // namespace

SORTLAB_PLUGIN("raduls", PEER_VERSION, sorts)

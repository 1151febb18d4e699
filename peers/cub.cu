// CUB's radix sort and merge sort, in a newer version than the CUDA toolkit's.
//
// source    the wheel nvidia-cuda-cccl of PyPI, version 13.3.5.0.6: CUB 3.5.0
// licence   BSD-3-Clause; Apache-2.0 with LLVM exception for libcu++, which it uses. The wheel as a whole
//           is under NVIDIA's terms for CUDA.
// threads   a GPU
// orders    -0 and +0 are equal: floats without NaN and -0
// pairs     keys and values move in their own arrays
// limits    n < 2^32: it is compiled for counts of 32 bits, which is faster
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstdio>
#include <cub/version.cuh>

#include "sortlab_plugin.h"

static_assert(CUB_VERSION == PEER_CUB_VERSION, "the toolkit's CUB was found before the wheel's");

namespace {

struct Less {
  template <class Key>
  __device__ bool operator()(const Key& a, const Key& b) const {
    return a < b;
  }
};

/// The common part of both sorts: a call without memory sets `bytes`, a call with memory sorts.
/// Sets `selector` to the place of the result, 1 for the alternate buffers.
struct Radix {
  template <class Key>
  static cudaError_t call(const sortlab_job* job, void* memory, size_t& bytes, int& selector) {
    const auto n = static_cast<uint32_t>(job->n);
    cub::DoubleBuffer<Key> keys(static_cast<Key*>(job->keys),
                                static_cast<Key*>(job->alternate_keys));
    cub::DoubleBuffer<uint32_t> values(static_cast<uint32_t*>(job->values),
                                       static_cast<uint32_t*>(job->alternate_values));
    constexpr int kBits = 8 * sizeof(Key);
    const cudaError_t error =
        job->value_bytes == 0
            ? cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, kBits, job->stream)
            : cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n, 0, kBits,
                                              job->stream);
    selector = keys.selector;
    return error;
  }
};

struct Merge {
  template <class Key>
  static cudaError_t call(const sortlab_job* job, void* memory, size_t& bytes, int&) {
    const auto n = static_cast<uint32_t>(job->n);
    auto* const keys = static_cast<Key*>(job->keys);
    auto* const values = static_cast<uint32_t*>(job->values);
    return job->value_bytes == 0
               ? cub::DeviceMergeSort::StableSortKeys(memory, bytes, keys, n, Less{}, job->stream)
               : cub::DeviceMergeSort::StableSortPairs(memory, bytes, keys, values, n, Less{},
                                                       job->stream);
  }
};

template <class Sort>
cudaError_t call(const sortlab_job* job, void* memory, size_t& bytes, int& selector) {
  switch (job->key_type) {
    case SORTLAB_U32:
      return Sort::template call<uint32_t>(job, memory, bytes, selector);
    case SORTLAB_I32:
      return Sort::template call<int32_t>(job, memory, bytes, selector);
    case SORTLAB_U64:
      return Sort::template call<uint64_t>(job, memory, bytes, selector);
    case SORTLAB_I64:
      return Sort::template call<int64_t>(job, memory, bytes, selector);
    case SORTLAB_F32:
      return Sort::template call<float>(job, memory, bytes, selector);
    case SORTLAB_F64:
      return Sort::template call<double>(job, memory, bytes, selector);
  }
  return cudaErrorInvalidValue;
}

int32_t said(const sortlab_job* job, cudaError_t error, int32_t code) {
  if (error == cudaSuccess) return code;
  std::snprintf(job->message, job->message_bytes, "%s", cudaGetErrorString(error));
  return SORTLAB_FAILED;
}

template <class Sort>
int32_t workspace_bytes(const sortlab_job* job, size_t* bytes) {
  if (job->n > UINT32_MAX) {
    std::snprintf(job->message, job->message_bytes, "it is compiled for fewer than 2^32 keys");
    return SORTLAB_UNSUPPORTED;
  }
  int selector = 0;
  return said(job, call<Sort>(job, nullptr, *bytes, selector), SORTLAB_OK);
}

template <class Sort>
int32_t sort(const sortlab_job* job) {
  int selector = 0;
  size_t bytes = job->workspace_bytes;
  cudaError_t error = call<Sort>(job, job->workspace, bytes, selector);
  if (error == cudaSuccess) error = cudaGetLastError();
  return said(job, error, selector == 0 ? SORTLAB_IN_KEYS : SORTLAB_IN_ALTERNATE);
}

constexpr uint32_t kTraits = SORTLAB_STABLE | SORTLAB_CAPTURABLE;
const sortlab_instance radix[] = {{.key_types = SORTLAB_ALL_KEYS,
                                   .values = SORTLAB_NO_VALUES | SORTLAB_VALUES_4,
                                   .traits = kTraits | SORTLAB_ALTERNATE,
                                   .sort = sort<Radix>}};
const sortlab_instance merge[] = {{.key_types = SORTLAB_ALL_KEYS,
                                   .values = SORTLAB_NO_VALUES | SORTLAB_VALUES_4,
                                   .traits = kTraits,
                                   .sort = sort<Merge>}};

const sortlab_plugin_sort sorts[] = {{.name = "radix",
                                      .summary = "cub::DeviceRadixSort with a DoubleBuffer",
                                      .traits = SORTLAB_DEVICE,
                                      .instances = radix,
                                      .instance_count = SORTLAB_COUNT(radix),
                                      .workspace_bytes = workspace_bytes<Radix>},
                                     {.name = "merge",
                                      .summary = "cub::DeviceMergeSort",
                                      .traits = SORTLAB_DEVICE,
                                      .instances = merge,
                                      .instance_count = SORTLAB_COUNT(merge),
                                      .workspace_bytes = workspace_bytes<Merge>}};

}  // namespace

SORTLAB_PLUGIN("cub", PEER_VERSION, sorts)

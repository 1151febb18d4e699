// A plug-in for `sortlab --plugin`: a bitonic sort for the GPU, one launch per step.
//
// Each stage begins with a flip, so that all comparisons put the smaller key first:
//
//   flip within blocks of 2^s     then steps of distance 2^(s-2), ..., 1
//   0-3, 1-2 | 4-7, 5-6           0-1, 2-3 | 4-5, 6-7
//
// Keys behind the end would be greater than all others and never move: any n works, without padding.
#include <cstdio>

#include "sortlab_plugin.h"

namespace {

constexpr unsigned kBlock = 256;

// Thread t compares the t-th pair of keys whose indices differ in `mask`, and its top bit `half`.
template <class Key>
__global__ void compare_pairs(Key* keys, size_t n, size_t mask, size_t half) {
  const size_t t = size_t{blockIdx.x} * kBlock + threadIdx.x;
  const size_t low = 2 * t - (t & (half - 1));
  const size_t high = low ^ mask;
  if (high >= n) return;
  const Key a = keys[low];
  const Key b = keys[high];
  if (b < a) {
    keys[low] = b;
    keys[high] = a;
  }
}

template <class Key>
void bitonic(Key* keys, size_t n, cudaStream_t stream) {
  const auto step = [=](size_t mask, size_t half) {
    const size_t pairs = (n + 2 * half - 1) / (2 * half) * half;  // the last block may be cut off
    const auto blocks = static_cast<unsigned>((pairs + kBlock - 1) / kBlock);
    compare_pairs<<<blocks, kBlock, 0, stream>>>(keys, n, mask, half);
  };
  for (size_t half = 1; half < n; half *= 2) {
    step(2 * half - 1, half);
    for (size_t distance = half / 2; distance > 0; distance /= 2) step(distance, distance);
  }
}

template <class Key>
int32_t sort(const sortlab_job* job) {
  bitonic(static_cast<Key*>(job->keys), job->n, job->stream);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return SORTLAB_IN_KEYS;
  std::snprintf(job->message, job->message_bytes, "%s", cudaGetErrorString(error));
  return SORTLAB_FAILED;
}

template <class Key>
constexpr sortlab_instance instance(uint32_t key_type) {
  sortlab_instance i{};
  i.key_types = key_type;
  i.traits = SORTLAB_IN_PLACE | SORTLAB_CAPTURABLE;
  i.sort = sort<Key>;
  return i;
}

constexpr sortlab_instance instances[] = {instance<uint32_t>(SORTLAB_U32),
                                          instance<uint64_t>(SORTLAB_U64)};

constexpr sortlab_plugin_sort bitonic_flip() {
  sortlab_plugin_sort s{};
  s.name = "bitonic_flip";
  s.summary = "bitonic, one launch per step, no padding";
  s.traits = SORTLAB_DEVICE;
  s.instances = instances;
  s.instance_count = SORTLAB_COUNT(instances);
  return s;
}

constexpr sortlab_plugin_sort sorts[] = {bitonic_flip()};

}  // namespace

SORTLAB_PLUGIN("example_gpu", "1.0", sorts)

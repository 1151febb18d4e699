// Writes runs of one value each: keys of which the number is known, and which nobody needs to send.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/parts/streams.cuh"

namespace sortlab::gpu::parts {

/// The places from begin to end of an array.
template <class Key>
struct RunOfKey {
  std::size_t begin;
  std::size_t end;
  Key key;
};

constexpr unsigned kFillBlock = 512;  // threads

template <class Key>
__global__ void __launch_bounds__(kFillBlock)
    fill_runs(Key* to, const RunOfKey<Key>* runs, unsigned count) {
  for (unsigned r = 0; r < count; ++r) {
    const RunOfKey<Key> run = runs[r];
    for (std::size_t i = run.begin + blockIdx.x * kFillBlock + threadIdx.x; i < run.end;
         i += std::size_t{gridDim.x} * kFillBlock) {
      to[i] = run.key;
    }
  }
}

/// Writes the runs to `to`; d_runs has room for them.
template <class Key>
void launch_fill(Key* to, const std::vector<RunOfKey<Key>>& runs, RunOfKey<Key>* d_runs,
                 cudaStream_t stream) {
  if (runs.empty()) return;
  copy_words(d_runs, runs.data(), runs.size(), stream);
  const std::size_t blocks = 4 * device_attribute(cudaDevAttrMultiProcessorCount);
  launch("fill_runs", fill_runs<Key>, {blocks, kFillBlock}, stream, to, d_runs, runs.size());
}

}  // namespace sortlab::gpu::parts

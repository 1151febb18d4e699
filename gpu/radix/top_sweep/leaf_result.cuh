// Where the leaves of pairs write what they have sorted. Places that are wanted as 8 bytes (an argsort's indices are) are
// written so at once: a kernel that widens them afterwards would read and write each once more.
//
// If there are no leaves, as all passes have been done, such a kernel does it after all.
// measured: argsort of 2^27 u32, H100, us: 3318 (at once) vs 3941 (afterwards); argsort.1.txt
#pragma once

#include "gpu/primitives/grid/sweep/passes.cuh"
#include "gpu/radix/top_sweep/leaf_cut.cuh"

namespace sortlab::gpu::radix::top_sweep {

/// Items, or their values as 8 bytes each.
template <class Bits, class Value>
struct LeafResult {
  Items<Bits, Value> items;
  std::uint64_t* wide_values = nullptr;  // if not null, values go here alone
  bool drops_keys = false;

  __device__ __forceinline__ LeafResult from(std::size_t offset) const {
    return {items.from(offset), wide_values == nullptr ? nullptr : wide_values + offset,
            drops_keys};
  }
  /// `key()` returns the key.
  template <class Key>
  __device__ __forceinline__ void put(std::size_t i, Key key, Value value) const {
    if (!drops_keys) items.keys[i] = key();
    if (wide_values != nullptr) {
      wide_values[i] = value;
    } else {
      items.values[i] = value;
    }
  }
};

/// Widens the values, unless leaves have done it. Without a plan there are no leaves.
template <class Value>
__global__ void __launch_bounds__(kCopyThreads)
    widen_values(const Value* values, std::uint64_t* wide, std::size_t n,
                 const LeafPlan* leaf_plan) {
  await_previous_kernel();
  if (leaf_plan != nullptr && leaf_plan->low_bits != 0) return;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    wide[i] = values[i];
  }
}

template <class Bits, class Value>
void launch_widen_values(const LeafResult<Bits, Value>& result, std::size_t n,
                         const LeafPlan* leaf_plan, cudaStream_t stream) {
  if (result.wide_values == nullptr) return;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("widen_values", widen_values<Value>,
               {std::min(2 * sms, ceil_div(n, kCopyThreads)), kCopyThreads}, stream,
               static_cast<const Value*>(result.items.values), result.wide_values, n, leaf_plan);
}

}  // namespace sortlab::gpu::radix::top_sweep

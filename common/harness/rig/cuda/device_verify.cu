// One pass over the items: each thread hashes its own and compares them with the one before; sums
// and xors go up by warps, then by one atomic a warp. All of it commutes, so that the answer does
// not depend on the order in which threads come.
#include "common/harness/rig/cuda/device_verify.hpp"

#include <algorithm>

#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/verify/item_hash.hpp"

namespace sortlab::device {
namespace {

/// The findings, as threads add to them.
struct Sums {
  unsigned long long sum;
  unsigned long long xor_;
  unsigned unsorted;  // 1: an item belongs before its predecessor
  unsigned unstable;  // 1: equal keys whose values do not ascend
};

constexpr unsigned kThreads = 256;
constexpr std::size_t kMostBlocks = 4096;  // a grid stride does the rest

template <Order kOrder, class Key, class Value>
__global__ void look(const Key* keys, const Value* values, std::size_t n, Sums* findings) {
  constexpr unsigned kAllLanes = ~0u;
  unsigned long long sum = 0, xor_ = 0;
  bool unsorted = false, unstable = false;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const Key key = keys[i];
    const std::uint64_t hash = item_hash(keys, values, i);
    sum += hash;
    xor_ ^= hash;
    if (i == 0) continue;
    const Key before = keys[i - 1];
    unsorted |= KeyLess<Key, kOrder>{}(key, before);
    if constexpr (!std::is_same_v<Value, NoValue>) {
      const bool equal = to_ordered_bits(before) == to_ordered_bits(key);
      unstable |= equal && !(values[i - 1] < values[i]);
    }
  }
  unsorted = __any_sync(kAllLanes, unsorted);
  unstable = __any_sync(kAllLanes, unstable);
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(kAllLanes, sum, distance);
    xor_ ^= __shfl_down_sync(kAllLanes, xor_, distance);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&findings->sum, sum);
  atomicXor(&findings->xor_, xor_);
  if (unsorted) atomicOr(&findings->unsorted, 1u);
  if (unstable) atomicOr(&findings->unstable, 1u);
}

template <Order kOrder, class Key, class Value>
void launch_look(const Key* d_keys, const Value* d_values, std::size_t n, Sums* d_findings,
                 cudaStream_t stream) {
  const auto blocks = std::min((n + kThreads - 1) / kThreads, kMostBlocks);
  look<kOrder>
      <<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(d_keys, d_values, n, d_findings);
  check(cudaGetLastError(), "launch of the verifier");
}

}  // namespace

DeviceVerifier::DeviceVerifier() : findings_(sizeof(Sums)) {}

Findings DeviceVerifier::look(KeyType type, Order order, const void* d_keys, ErasedValues d_values,
                              std::size_t n, bool claims_stable, cudaStream_t stream) const {
  auto* const d_findings = reinterpret_cast<Sums*>(findings_.data());
  findings_.fill(0, stream);
  if (n > 0) {
    visit_key_type(type, [&]<class Key>(Key) {
      d_values.visit([&]<class Value>(const Value* values) {
        const auto launch = order == Order::ascending ? launch_look<Order::ascending, Key, Value>
                                                      : launch_look<Order::descending, Key, Value>;
        launch(static_cast<const Key*>(d_keys), values, n, d_findings, stream);
      });
    });
  }
  Sums found{};
  check(cudaMemcpyAsync(&found, d_findings, sizeof found, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  Findings result{{n, found.sum, found.xor_}, found.unsorted == 0};
  if (claims_stable && d_values.are_there()) result.stable = found.unstable == 0;
  return result;
}

}  // namespace sortlab::device

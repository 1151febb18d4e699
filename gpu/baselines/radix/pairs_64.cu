// NVIDIA's radix sort for pairs with keys of 64 bits.
#include "gpu/baselines/radix_calls.cuh"

namespace sortlab::gpu::baselines {

template struct RadixCalls<std::uint64_t, std::uint32_t, Order::ascending>;
template struct RadixCalls<std::uint64_t, std::uint32_t, Order::descending>;
template struct RadixCalls<std::int64_t, std::uint32_t, Order::ascending>;
template struct RadixCalls<std::int64_t, std::uint32_t, Order::descending>;
template struct RadixCalls<double, std::uint32_t, Order::ascending>;
template struct RadixCalls<double, std::uint32_t, Order::descending>;

}  // namespace sortlab::gpu::baselines

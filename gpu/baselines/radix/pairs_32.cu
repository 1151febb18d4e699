// NVIDIA's radix sort for pairs with keys of 32 bits.
#include "gpu/baselines/radix_calls.cuh"

namespace sortlab::gpu::baselines {

template struct RadixCalls<std::uint32_t, std::uint32_t, Order::ascending>;
template struct RadixCalls<std::uint32_t, std::uint32_t, Order::descending>;
template struct RadixCalls<std::int32_t, std::uint32_t, Order::ascending>;
template struct RadixCalls<std::int32_t, std::uint32_t, Order::descending>;
template struct RadixCalls<float, std::uint32_t, Order::ascending>;
template struct RadixCalls<float, std::uint32_t, Order::descending>;

}  // namespace sortlab::gpu::baselines

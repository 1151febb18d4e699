// NVIDIA's radix sort for keys alone, keys of 32 bits.
#include "gpu/baselines/radix_calls.cuh"

namespace sortlab::gpu::baselines {

template struct RadixCalls<std::uint32_t, NoValue, Order::ascending>;
template struct RadixCalls<std::uint32_t, NoValue, Order::descending>;
template struct RadixCalls<std::int32_t, NoValue, Order::ascending>;
template struct RadixCalls<std::int32_t, NoValue, Order::descending>;
template struct RadixCalls<float, NoValue, Order::ascending>;
template struct RadixCalls<float, NoValue, Order::descending>;

}  // namespace sortlab::gpu::baselines

// NVIDIA's radix sort for keys alone, keys of 64 bits.
#include "gpu/baselines/radix_calls.cuh"

namespace sortlab::gpu::baselines {

template struct RadixCalls<std::uint64_t, NoValue, Order::ascending>;
template struct RadixCalls<std::uint64_t, NoValue, Order::descending>;
template struct RadixCalls<std::int64_t, NoValue, Order::ascending>;
template struct RadixCalls<std::int64_t, NoValue, Order::descending>;
template struct RadixCalls<double, NoValue, Order::ascending>;
template struct RadixCalls<double, NoValue, Order::descending>;

}  // namespace sortlab::gpu::baselines

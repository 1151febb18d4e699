// NVIDIA's radix sort, in a unit for each width of keys and of values (cmake/variants.cmake).
#include "gpu/baselines/radix_calls.cuh"

namespace sortlab::gpu::baselines {

using Unsigned = SORTLAB_UNIT_KEY;
using Signed = std::make_signed_t<Unsigned>;
using Float = std::conditional_t<sizeof(Unsigned) == 4, float, double>;

template struct RadixCalls<Unsigned, SORTLAB_UNIT_VALUE, Order::ascending>;
template struct RadixCalls<Unsigned, SORTLAB_UNIT_VALUE, Order::descending>;
template struct RadixCalls<Signed, SORTLAB_UNIT_VALUE, Order::ascending>;
template struct RadixCalls<Signed, SORTLAB_UNIT_VALUE, Order::descending>;
template struct RadixCalls<Float, SORTLAB_UNIT_VALUE, Order::ascending>;
template struct RadixCalls<Float, SORTLAB_UNIT_VALUE, Order::descending>;

}  // namespace sortlab::gpu::baselines

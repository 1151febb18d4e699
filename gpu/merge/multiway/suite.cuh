// The merge sort for the suite's keys, whose kernels are compiled apart (kernels.cu), as they take long.
#pragma once

#include "gpu/merge/multiway/sort.cuh"

namespace sortlab::gpu::merge::multiway {

/// One set of kernels for all key types and orders of a width, as the map turns keys into unsigned
/// integers. Equal keys of the suite are the same bytes, so that keys alone need nothing for stability.
template <class Bits, class Value>
using SuitePlan = PlanFor<KeyLess<Bits, Order::ascending>,
                          Items<Bits, Value>::kPairs ? Ties::keep_order : Ties::any_order, Bits,
                          Value, KeyMap<Bits>>;

#define SORTLAB_MULTIWAY_SORT(Bits, Value)                                               \
  template ResultIn sort<SuitePlan<Bits, Value>>(Items<Bits, Value>, Items<Bits, Value>, \
                                                 std::size_t, std::byte*, cudaStream_t,  \
                                                 KeyMap<Bits>, const NoState&)
extern SORTLAB_MULTIWAY_SORT(std::uint32_t, NoValue);
extern SORTLAB_MULTIWAY_SORT(std::uint32_t, std::uint32_t);
extern SORTLAB_MULTIWAY_SORT(std::uint64_t, NoValue);
extern SORTLAB_MULTIWAY_SORT(std::uint64_t, std::uint32_t);

}  // namespace sortlab::gpu::merge::multiway

// The merge sort for the suite's keys, whose kernels are compiled in a file for each width of keys and
// values, as they take long.
#pragma once

#include "gpu/merge/multiway/sort.cuh"

namespace sortlab::gpu::merge::multiway {

/// One set of kernels for all key types and orders of a width, as the map turns keys into unsigned
/// integers. Equal keys of the suite are the same bytes, so that keys alone need nothing for stability.
template <class Bits, class Value>
using SuitePlan = PlanFor<KeyLess<Bits, Order::ascending>,
                          Items<Bits, Value>::kPairs ? Ties::keep_order : Ties::any_order, Bits,
                          Value, KeyMap<Bits>>;

extern template ResultIn sort<SuitePlan<std::uint32_t, NoValue>>(
    Items<std::uint32_t, NoValue>, Items<std::uint32_t, NoValue>, std::size_t, std::byte*,
    cudaStream_t, KeyMap<std::uint32_t>, const NoState&);
extern template ResultIn sort<SuitePlan<std::uint32_t, std::uint32_t>>(
    Items<std::uint32_t, std::uint32_t>, Items<std::uint32_t, std::uint32_t>, std::size_t,
    std::byte*, cudaStream_t, KeyMap<std::uint32_t>, const NoState&);
extern template ResultIn sort<SuitePlan<std::uint64_t, NoValue>>(
    Items<std::uint64_t, NoValue>, Items<std::uint64_t, NoValue>, std::size_t, std::byte*,
    cudaStream_t, KeyMap<std::uint64_t>, const NoState&);
extern template ResultIn sort<SuitePlan<std::uint64_t, std::uint32_t>>(
    Items<std::uint64_t, std::uint32_t>, Items<std::uint64_t, std::uint32_t>, std::size_t,
    std::byte*, cudaStream_t, KeyMap<std::uint64_t>, const NoState&);

}  // namespace sortlab::gpu::merge::multiway

// Keys of all types as unsigned integers in ascending order, for a sort that is compiled for these alone.
//
//     SORTLAB_REGISTER(gpu::OnOrderedBits<Naive>, AllKeys, KeysAndPairs);
//
// A kernel in front of the sort turns the keys into such integers (key_map.hpp), and one behind it turns them back; for
// unsigned keys in ascending order there is nothing to do. So a sort has two instances for keys and two for pairs
// instead of twelve and twelve. This suits sorts beside which two passes over the keys take no time.
// measured: time over that of a sort compiled for the type, 4 million keys: v1_fused 1.00 (u32), 1.01 (i32),
// per_element 1.00, 1.01, block_merge 1.00, 1.04; with few keys the two launches show: 64K i32 up to 1.12. Kernels
// that map at each load took 1.37, 1.24, 1.05 (u32); H200, h200/attempts/ordered_bits.[12].txt
#pragma once

#include "common/contract/variant.hpp"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu {

enum class MapTo { ordered, key };

template <class Bits>
__global__ void map_keys(Bits* keys, std::size_t n, KeyMap<Bits> map, MapTo to) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) keys[i] = to == MapTo::ordered ? map.ordered(keys[i]) : map.key(keys[i]);
}

template <class Impl>
struct OnOrderedBits : Impl {
  template <class Job>
  static ResultIn sort_erased(const ErasedJob& job) {
    using Key = typename Job::Key;
    return sort_bits<BitsOf<Key>, typename Job::Value>(job, key_map_of<Key, Job::kOrder>());
  }

 private:
  template <class Bits, class Value>
  static ResultIn sort_bits(const ErasedJob& job, KeyMap<Bits> map) {
    launch_map(job, job.keys, map, MapTo::ordered);
    const ResultIn result = detail::run<Impl, Bits, Value, Order::ascending>(job);
    launch_map(job, result == ResultIn::data ? job.keys : job.alternate_keys, map, MapTo::key);
    return result;
  }

  template <class Bits>
  static void launch_map(const ErasedJob& job, void* keys, KeyMap<Bits> map, MapTo to) {
    constexpr unsigned kThreads = 256;
    if (map.changes_nothing()) return;
    launch("map_keys", map_keys<Bits>, {ceil_div(job.n, kThreads), kThreads}, job.stream,
           static_cast<Bits*>(keys), job.n, map, to);
  }
};

}  // namespace sortlab::gpu

// The calls of Thrust that its variants share: thrust::less and thrust::greater select its radix
// sort.
#pragma once

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>
#include <thrust/version.h>

#include <type_traits>

#include "common/contract/variant.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/library_version.cuh"

namespace sortlab::gpu::baselines {

/// Thrust's own comparison, which it must see to choose radix sort.
template <class Job>
using ThrustLess =
    std::conditional_t<Job::kOrder == Order::ascending, thrust::less<typename Job::Key>,
                       thrust::greater<typename Job::Key>>;

template <class Policy, class Job>
void thrust_sort(const Policy& policy, const Job& job) {
  const thrust::device_ptr<typename Job::Key> keys(job.data.keys);
  const auto n = static_cast<std::ptrdiff_t>(job.n);
  if constexpr (Job::kPairs) {
    thrust::sort_by_key(policy, keys, keys + n,
                        thrust::device_ptr<typename Job::Value>(job.data.values),
                        ThrustLess<Job>{});
  } else {
    thrust::sort(policy, keys, keys + n, ThrustLess<Job>{});
  }
}

template <class Policy, class Job>
void thrust_stable_sort(const Policy& policy, const Job& job) {
  const thrust::device_ptr<typename Job::Key> keys(job.data.keys);
  const auto n = static_cast<std::ptrdiff_t>(job.n);
  if constexpr (Job::kPairs) {
    thrust::stable_sort_by_key(policy, keys, keys + n,
                               thrust::device_ptr<typename Job::Value>(job.data.values),
                               ThrustLess<Job>{});
  } else {
    thrust::stable_sort(policy, keys, keys + n, ThrustLess<Job>{});
  }
}

}  // namespace sortlab::gpu::baselines

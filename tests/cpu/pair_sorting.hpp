// Sorts pairs with cpu/radix/pairs and compares the result with std::stable_sort's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

struct PairRun {
  int threads;
  Isa isa = best_isa_of_cpu();
  int stream_from_mib = 32;
};

/// The values are the keys' places, so that they show whether the sort is stable.
template <class Key>
void expect_pairs_sorted(const std::vector<Key>& input, const std::vector<PairRun>& runs,
                         Order order = Order::ascending) {
  const Variant* const variant = find_variant("cpu/radix/pairs");
  ASSERT_NE(variant, nullptr);
  const std::size_t n = input.size();
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::vector<std::uint32_t> expected = places;
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
    return order == Order::ascending ? input[a] < input[b] : input[b] < input[a];
  });
  std::vector<Key> expected_keys(n);
  std::ranges::transform(expected, expected_keys.begin(), [&](auto place) { return input[place]; });
  const auto* const instance = variant->instance(key_type_of<Key>(), 4, order);
  Params params(variant->info.params);
  for (const PairRun& run : runs) {
    SCOPED_TRACE(testing::Message()
                 << n << " pairs, " << run.threads << " threads, " << name_of(run.isa)
                 << ", streams from " << run.stream_from_mib << " MiB");
    params.set("stream_from_mib", run.stream_from_mib);
    std::vector<Key> keys = input;
    std::vector<std::uint32_t> values = places;
    constexpr std::size_t kBoundary = 256;
    std::vector<std::byte> workspace(
        variant->workspace_bytes({n, sizeof(Key), 4, run.threads, params}) + kBoundary);
    const auto behind = reinterpret_cast<std::uintptr_t>(workspace.data()) % kBoundary;
    const std::span<std::byte> aligned(workspace.data() + (kBoundary - behind),
                                       workspace.size() - kBoundary);
    const ErasedJob job{instance, keys.data(), values.data(), nullptr, nullptr, n,
                        aligned,  run.threads, run.isa,       nullptr, &params};
    instance->sort(job);
    ASSERT_EQ(values, expected);
    ASSERT_EQ(keys, expected_keys);
  }
}

}  // namespace sortlab

// Sorts keys, or pairs, with a sort of the suite and compares the result with a sort of the standard library.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/contract/variant.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab {

struct SortRun {
  int threads = 1;
  Isa isa = best_isa_of_cpu();
  std::vector<std::pair<std::string_view, std::int64_t>> params = {};
};

/// With each instruction set.
inline std::vector<SortRun> runs_of(const std::vector<int>& threads, const SortRun& like = {}) {
  std::vector<SortRun> runs;
  for (const Isa isa : isas_of_this_cpu()) {
    for (const int count : threads) runs.push_back({count, isa, like.params});
  }
  return runs;
}

/// Memory as large as asked for. What is behind it must stay.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes)
      : memory_(kBoundary + bytes + kBehind, kUntouched),
        begin_(kBoundary - reinterpret_cast<std::uintptr_t>(memory_.data()) % kBoundary),
        bytes_(bytes) {}
  std::span<std::byte> span() { return {memory_.data() + begin_, bytes_}; }
  bool is_intact() const {
    const std::byte* const end = memory_.data() + begin_ + bytes_;
    return std::all_of(end, end + kBehind - kBoundary, [](auto b) { return b == kUntouched; });
  }

 private:
  static constexpr std::size_t kBoundary = 256, kBehind = 4096;
  static constexpr std::byte kUntouched{0xA5};
  std::vector<std::byte> memory_;
  std::size_t begin_, bytes_;
};

/// Values, if there are any, are the keys' places, so that they show whether the sort is stable.
template <class Key, class Value = NoValue>
void expect_sorted_by(std::string_view id, const std::vector<Key>& input,
                      const std::vector<SortRun>& runs, Order order = Order::ascending) {
  constexpr bool kPairs = !std::is_same_v<Value, NoValue>;
  const Variant* const variant = find_variant(id);
  ASSERT_NE(variant, nullptr);
  const std::size_t n = input.size();
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::vector<std::uint32_t> expected = places;
  const auto sort_places = [&]<Order kOrder>(KeyLess<Key, kOrder> less) {
    std::stable_sort(expected.begin(), expected.end(),
                     [&](auto a, auto b) { return less(input[a], input[b]); });
  };
  order == Order::ascending ? sort_places(KeyLess<Key, Order::ascending>())
                            : sort_places(KeyLess<Key, Order::descending>());
  std::vector<Key> expected_keys(n);
  std::ranges::transform(expected, expected_keys.begin(), [&](auto place) { return input[place]; });
  const auto* const instance = variant->instance(key_type_of<Key>(), kValueBytes<Value>, order);
  for (const SortRun& run : runs) {
    SCOPED_TRACE(testing::Message()
                 << n << " keys, " << run.threads << " threads, " << name_of(run.isa));
    Params params(variant->info.params);
    for (const auto& [name, value] : run.params) params.set(name, value);
    std::vector<Key> keys = input;
    std::vector<std::uint32_t> values = places;
    GuardedMemory alternate(n * sizeof(Key)), alternate_values(n * kValueBytes<Value>),
        workspace(variant->workspace_bytes(
            {n, sizeof(Key), kValueBytes<Value>, run.threads, params, nullptr, run.isa}));
    const ErasedJob job{instance,
                        keys.data(),
                        kPairs ? values.data() : nullptr,
                        alternate.span().data(),
                        kPairs ? alternate_values.span().data() : nullptr,
                        n,
                        workspace.span(),
                        run.threads,
                        run.isa,
                        nullptr,
                        &params};
    ASSERT_EQ(instance->sort(job), ResultIn::data);
    ASSERT_EQ(std::memcmp(keys.data(), expected_keys.data(), n * sizeof(Key)), 0);  // -0, too
    if constexpr (kPairs) {
      ASSERT_EQ(values, expected);
    }
    ASSERT_TRUE(alternate.is_intact() && alternate_values.is_intact() && workspace.is_intact());
  }
}

}  // namespace sortlab

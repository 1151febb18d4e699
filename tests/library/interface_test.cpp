// The C interface: its errors, its memory, and the corresponding C++ exceptions.
#include <gtest/gtest.h>

#include <sortlab/sort.hpp>
#include <sortlab/top_k.hpp>

#include "library/host/auto_sort.hpp"
#include "library/host/calls.hpp"
#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

sortlab_options defaults() { return {sizeof(sortlab_options), 0, 0, 0, 0, nullptr, 0, nullptr}; }

TEST(Interface, RefusesWrongArguments) {
  std::uint64_t keys[4] = {3, 1, 2, 0}, values[4] = {};
  EXPECT_EQ(sortlab_sort(nullptr, 2, SORTLAB_TYPE_U64, nullptr), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(sortlab_sort(nullptr, 0, SORTLAB_TYPE_U64, nullptr), SORTLAB_SUCCESS);
  for (const int type : {-1, 0, SORTLAB_TYPE_F16 + 1, 1000}) {
    EXPECT_EQ(sortlab_sort(keys, 4, type, nullptr), SORTLAB_ERROR_ARGUMENT);
    EXPECT_EQ(sortlab_scratch_bytes(4, type, 0, nullptr), 0u);
  }
  EXPECT_EQ(sortlab_sort(reinterpret_cast<char*>(keys) + 1, 2, SORTLAB_TYPE_U64, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(sortlab_sort_pairs(keys, nullptr, 4, SORTLAB_TYPE_U64, 8, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(sortlab_sort_pairs(keys, values, 4, SORTLAB_TYPE_U64, 0, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(sortlab_argsort(keys, values, 4, SORTLAB_TYPE_U64, 2, nullptr), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(sortlab_argsort(keys, values, (std::size_t{1} << 32) + 1, SORTLAB_TYPE_U64, 4, nullptr),
            SORTLAB_ERROR_INDEX);
  EXPECT_EQ(sortlab_sort(keys, SIZE_MAX / 8, SORTLAB_TYPE_U64, nullptr), SORTLAB_ERROR_ARGUMENT);
  const auto refused = [&](auto change) {
    sortlab_options options = defaults();
    change(options);
    return sortlab_sort(keys, 4, SORTLAB_TYPE_U64, &options) == SORTLAB_ERROR_ARGUMENT;
  };
  EXPECT_TRUE(refused([](auto& options) { options.size = 0; }));
  EXPECT_TRUE(refused([](auto& options) { options.order = 2; }));
  EXPECT_TRUE(refused([](auto& options) { options.floats = -1; }));
  EXPECT_TRUE(refused([](auto& options) { options.threads = -1; }));
  EXPECT_TRUE(refused([](auto& options) { options.any_order = 2; }));
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_EQ(keys[0], 0u);
  EXPECT_EQ(sortlab_set_threads(-1), SORTLAB_ERROR_ARGUMENT);
}

TEST(Interface, HasATextForEachStatus) {
  for (int status = SORTLAB_SUCCESS; status <= SORTLAB_ERROR_INDEX; ++status) {
    EXPECT_STRNE(sortlab_error_text(status), sortlab_error_text(99)) << status;
  }
  EXPECT_EQ(sortlab_abi_version(), SORTLAB_ABI_VERSION);
}

/// Runs a call in exactly the scratch memory that it requests, then in far too little.
template <class Call>
void expect_exact(std::size_t bytes, Call call) {
  std::vector<std::byte> memory(bytes + 1);
  sortlab_options options = defaults();
  for (const std::size_t offset : {0, 1}) {
    options.scratch = memory.data() + offset;
    options.scratch_bytes = bytes;
    EXPECT_EQ(call(&options), SORTLAB_SUCCESS);
  }
  options.scratch_bytes = 16;
  EXPECT_EQ(call(&options), bytes > 16 ? SORTLAB_ERROR_SCRATCH : SORTLAB_SUCCESS);
}

TEST(Scratch, IsAsLargeAsItIsSaidToBe) {
  const sortlab_options options = defaults();
  for (const std::size_t n : {std::size_t{2}, std::size_t{100}, std::size_t{2000}, kMany}) {
    for (int type = SORTLAB_TYPE_U8; type <= SORTLAB_TYPE_F16; ++type) {
      std::vector<std::uint64_t> keys = keys_of<std::uint64_t>(n), order(n);
      expect_exact(sortlab_scratch_bytes(n, type, 0, &options), [&](const sortlab_options* given) {
        return sortlab_sort(keys.data(), n, type, given);
      });
      for (const std::size_t value_bytes : {4, 5, 24}) {
        std::vector<std::byte> values(n * value_bytes + 1);
        expect_exact(sortlab_scratch_bytes(n, type, value_bytes, &options),
                     [&](const sortlab_options* given) {
                       return sortlab_sort_pairs(keys.data(), values.data() + 1, n, type,
                                                 value_bytes, given);
                     });
      }
      for (const std::size_t index_bytes : {4, 8}) {
        expect_exact(sortlab_argsort_scratch_bytes(n, type, index_bytes, &options),
                     [&](const sortlab_options* given) {
                       return sortlab_argsort(keys.data(), order.data(), n, type, index_bytes,
                                              given);
                     });
        expect_exact(sortlab_argpartition_scratch_bytes(n, type, index_bytes, &options),
                     [&](const sortlab_options* given) {
                       return sortlab_argpartition(keys.data(), order.data(), n, type, n / 3,
                                                   index_bytes, given);
                     });
      }
    }
  }
}

TEST(Scratch, OfFewKeysFitsOnTheStack) {
  const library::Few& few = library::few();
  EXPECT_GE(few.keys, 100u);
  EXPECT_GE(few.pairs, 10u);
  int any = 0;
  for (std::size_t n = 0; n <= few.keys; ++n) {
    const library::AutoSort sort{KeyType::u64, Order::ascending, &any, nullptr, n, 1};
    ASSERT_LE(sort.scratch_bytes(), library::kFewBytes) << n;
  }
}

TEST(Scratch, OfSomePairsIsEnoughForAllOfTheirNumbers) {
  int any = 0;
  for (const bool any_order : {false, true}) {
    const library::Few& few = library::few(any_order);
    EXPECT_GE(few.pairs, 10u);
    const library::Settings alone{.threads = 1, .any_order = any_order};
    for (std::size_t n = 1; n <= library::kSomePairs; ++n) {
      const std::size_t most = n <= few.pairs ? library::kFewBytes : few.some_pairs_bytes;
      for (const int type : {SORTLAB_TYPE_U8, SORTLAB_TYPE_F32, SORTLAB_TYPE_I64}) {
        for (const std::size_t bytes : {1, 4, 8}) {
          const library::PairsCall pairs{{type}, alone, &any, &any, n, bytes, bytes == 4};
          ASSERT_LE(pairs.scratch_bytes(), most) << n << " values of " << bytes << " bytes";
        }
        for (const std::size_t bytes : {4, 8}) {
          const library::ArgsortCall argsort{{type}, alone, &any, &any, n, bytes};
          ASSERT_LE(argsort.scratch_bytes(), most) << n << " indices of " << bytes << " bytes";
        }
      }
    }
  }
}

TEST(Exceptions, AreTheStandards) {
  std::vector<std::uint64_t> keys = keys_of<std::uint64_t>(5000);
  std::vector<std::uint32_t> values(4999);
  std::vector<std::byte> scratch(100);
  EXPECT_THROW(sortlab::sort_by_key(keys, values), std::invalid_argument);
  EXPECT_THROW(sortlab::argsort(keys, values), std::invalid_argument);
  EXPECT_THROW(sortlab::sort(keys, {.scratch = scratch}), std::invalid_argument);
  EXPECT_THROW(sortlab::sort(keys, {.threads = -1}), std::invalid_argument);
  EXPECT_THROW(set_threads(-1), std::invalid_argument);
  std::vector<std::uint64_t> many(20'000);
  EXPECT_THROW(
      sortlab::sort(many, [](auto a, auto b) { return a < b; }, {.threads = 2, .scratch = scratch}),
      std::invalid_argument);
  std::vector<std::byte> enough(items_scratch_bytes<std::uint64_t>(many.size()));
  sortlab::sort(many, [](auto a, auto b) { return a < b; }, {.threads = 2, .scratch = enough});
  scratch.resize(scratch_bytes<std::uint64_t>(5000));
  sortlab::sort(keys, {.scratch = scratch});
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

}  // namespace
}  // namespace sortlab::tests

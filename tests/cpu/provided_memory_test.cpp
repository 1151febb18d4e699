// The memory that CPU sorts request: no more than their threads can need, and enough at every size
// at which the number of threads or the algorithm changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "common/harness/verify/check.hpp"
#include "common/threads/team.hpp"
#include "tests/effort.hpp"
#include "tests/subjects.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kKiB = std::size_t{1} << 10, kMiB = std::size_t{1} << 20;

std::vector<const Variant*> usable_variants() {
  std::vector<const Variant*> found = variants_in(Memory::host);
  std::erase_if(found, [](const Variant* variant) { return !variant->unavailable().empty(); });
  return found;
}

std::size_t provided(const Variant& variant, std::size_t n, std::size_t key_bytes,
                     std::size_t value_bytes, int threads) {
  const Params params(variant.info.params);
  return variant.workspace_bytes({n, key_bytes, value_bytes, threads, params});
}

/// Calls f(variant, key type, value bytes) for all sorts of keys and of pairs of both widths.
template <class F>
void for_each_width(F f) {
  for (const Variant* const variant : usable_variants()) {
    for (const KeyType type : {KeyType::u32, KeyType::u64}) {
      for (const std::size_t value_bytes : {0, 4}) {
        if (variant->instance(type, value_bytes, Order::ascending) != nullptr) {
          f(*variant, type, value_bytes);
        }
      }
    }
  }
}

TEST(LentMemory, IsLittleForSevenKeysOnManyThreads) {
  for_each_width([](const Variant& variant, KeyType type, std::size_t value_bytes) {
    const std::size_t key_bytes = bytes_of(type);
    const std::size_t bytes = provided(variant, 7, key_bytes, value_bytes, 16);
    EXPECT_LE(bytes, 64 * kKiB) << variant.id << ", " << name_of(type);
    EXPECT_EQ(bytes, provided(variant, 7, key_bytes, value_bytes, 1)) << variant.id;
  });
}

/// The memory of one thread, with a margin. A packed copy of the items is extra.
constexpr std::size_t kMostOfAThread = 6 * kMiB, kMostOfAnItem = 16;

/// No sort starts a thread for fewer items.
constexpr std::size_t kLeastShare = 4096;
constexpr std::size_t kThreads = 16;

TEST(LentMemory, GrowsWithTheThreadsThatAreWorthTheirStart) {
  for_each_width([](const Variant& variant, KeyType type, std::size_t value_bytes) {
    for (std::size_t n = 1; n <= 2 * kThreads * kLeastShare; n += n / 16 + 1) {
      const std::size_t useful = std::clamp(n / kLeastShare, std::size_t{1}, kThreads);
      EXPECT_LE(provided(variant, n, bytes_of(type), value_bytes, static_cast<int>(kThreads)),
                useful * kMostOfAThread + n * kMostOfAnItem)
          << variant.id << ", " << n << ' ' << name_of(type);
    }
  });
}

/// On a busy machine a sort uses fewer threads than it asked memory for.
TEST(LentMemory, IsEnoughForFewerThreads) {
  for_each_width([](const Variant& variant, KeyType type, std::size_t value_bytes) {
    // Two sorts may request less with more threads. in_place plans by the memory that it gets,
    // which InPlace.SortsOnMoreThreadsThanItHasMemoryFor tests. radix/pairs, which auto takes,
    // sorts many pairs as one leaf only if its memory is for one thread: see
    // OfTwoThreadsIsEnoughForOne.
    if (variant.id == "cpu/quick/in_place") return;
    if (value_bytes > 0 && (variant.id == "cpu/radix/pairs" || variant.id.starts_with("cpu/auto/")))
      return;
    for (std::size_t n = 1; n <= 64 * kMiB; n += n / 3 + 1) {
      std::size_t before = 0;
      for (int threads = 1; threads <= 33; ++threads) {
        const std::size_t bytes = provided(variant, n, bytes_of(type), value_bytes, threads);
        EXPECT_LE(before, bytes) << variant.id << ", " << n << ' ' << name_of(type) << ", "
                                 << threads;
        before = std::max(before, bytes);
      }
    }
  });
}

TEST(LentMemory, OfTwoThreadsIsEnoughForOne) {
  team::limit(1);
  for_each_width([](const Variant& variant, KeyType type, std::size_t value_bytes) {
    const bool takes_our_team = variant.info.parallel && !variant.id.starts_with("cpu/baselines/");
    if (value_bytes == 0 || !takes_our_team) return;
    for (const std::size_t n : {std::size_t{200'000}, std::size_t{700'000}}) {
      Config config;
      config.variant = variant.id;
      config.key_type = type;
      config.value_bytes = value_bytes;
      config.n = n;
      config.dist = parse_distribution("text");
      config.threads = 2;
      EXPECT_EQ(check_sort(config), "") << config.benchmark_name();
    }
  });
  team::limit(0);
}

/// One item less, exactly, and one more than another thread needs (4096 or 8192 items, or 64 KiB of
/// keys), and the same around the sizes that do not fit into a cache.
std::vector<std::size_t> thresholds(std::size_t key_bytes, int threads) {
  std::set<std::size_t> sizes;
  const auto around = [&](std::size_t n) { sizes.insert({n - 1, n, n + 1}); };
  for (const std::size_t share : {std::size_t{4096}, std::size_t{8192}, 64 * kKiB / key_bytes}) {
    for (const int t : {1, 2, threads}) around(share * static_cast<std::size_t>(t));
  }
  for (const std::size_t kib : {32, 384, 512}) around(kib * kKiB / key_bytes);
  around(96 * kKiB);  // items of a leaf
  around(24);
  return {sizes.begin(), sizes.end()};
}

/// The sorts that request more memory with more threads.
std::vector<Subject> that_borrow_for_threads() {
  std::vector<Subject> subjects;
  for (const Variant* const variant : usable_variants()) {
    const auto grows = [&](std::size_t value_bytes) {
      return provided(*variant, kMiB, 4, value_bytes, 5) >
             provided(*variant, kMiB, 4, value_bytes, 1);
    };
    if (!grows(0) && !grows(4)) continue;
    for (const KeyType type : {KeyType::u32, KeyType::u64}) subjects.push_back({variant, type});
  }
  return subjects;
}

class LentToBorrowers : public testing::TestWithParam<Subject> {};

TEST_P(LentToBorrowers, IsEnoughAroundEachThreshold) {
  std::vector<const char*> distributions = {"uniform"};
  if (kEffort != Effort::reduced) distributions.push_back("zipf");
  for (Config config : instances_of(GetParam())) {
    if (config.order == Order::descending) continue;
    for (const char* const distribution : distributions) {
      config.dist = parse_distribution(distribution);
      for (const int threads : {1, 5}) {
        config.threads = threads;
        for (const std::size_t n : thresholds(bytes_of(config.key_type), threads)) {
          config.n = n;
          EXPECT_EQ(check_sort(config), "") << config.benchmark_name();
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LentToBorrowers, testing::ValuesIn(that_borrow_for_threads()),
                         name_of_subject);

}  // namespace
}  // namespace sortlab

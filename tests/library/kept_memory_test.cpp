// The memory that the library keeps from one sort to the next: it is reused, bounded and returned.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <sortlab/sort.hpp>
#include <thread>

#include "library/host/memory.hpp"
#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

using library::give_back;
using library::kept_bytes;
using library::Mapping;
using library::take_mapping;

constexpr std::size_t kMega = std::size_t{1} << 20, kLimit = 256 * kMega;

/// Each test begins with nothing kept.
class KeptMemory : public testing::Test {
 protected:
  void SetUp() override { set_kept_memory(kLimit); }
  void TearDown() override { set_kept_memory(kLimit); }
};

void fill(Mapping mapping, std::size_t bytes, int byte) { std::memset(mapping.data, byte, bytes); }

std::size_t zeros_in(Mapping mapping, std::size_t bytes) {
  return static_cast<std::size_t>(std::count(mapping.data, mapping.data + bytes, std::byte{0}));
}

/// Whether the system has this memory for the process at all.
bool is_mapped(Mapping mapping) {
  unsigned char resident = 0;
  return mincore(mapping.data, 1, &resident) == 0;
}

long page_faults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

TEST_F(KeptMemory, IsFoundByTheNextSortWithoutPageFaults) {
  const Mapping first = take_mapping(9 * kMega);
  fill(first, 9 * kMega, 1);
  give_back(first, 9 * kMega);
  EXPECT_EQ(kept_bytes(), 10 * kMega) << "whole huge pages";
  const long before = page_faults();
  const Mapping second = take_mapping(8 * kMega);
  fill(second, 8 * kMega, 2);
  EXPECT_LE(page_faults() - before, 2);
  EXPECT_EQ(second.data, first.data);
  EXPECT_EQ(kept_bytes(), 0u) << "it is in use";
  give_back(second, 8 * kMega);
}

TEST_F(KeptMemory, IsTheSystemsIfItNeedsIt) {
  const Mapping mapping = take_mapping(8 * kMega);
  fill(mapping, 8 * kMega, 1);
  give_back(mapping, 8 * kMega);
  if (madvise(mapping.data, mapping.bytes, MADV_PAGEOUT) != 0) GTEST_SKIP() << "no MADV_PAGEOUT";
  EXPECT_EQ(zeros_in(mapping, 8 * kMega), 8 * kMega) << "the system had to keep the content";
}

TEST_F(KeptMemory, IsReleased) {
  const Mapping mapping = take_mapping(8 * kMega);
  give_back(mapping, 8 * kMega);
  EXPECT_TRUE(is_mapped(mapping));
  release_memory();
  EXPECT_EQ(kept_memory(), 0u);
  EXPECT_FALSE(is_mapped(mapping));
}

TEST_F(KeptMemory, ExceedsNoLimit) {
  set_kept_memory(20 * kMega);
  const Mapping mappings[] = {take_mapping(8 * kMega), take_mapping(8 * kMega),
                              take_mapping(8 * kMega)};
  for (const Mapping mapping : mappings) give_back(mapping, 8 * kMega);
  EXPECT_EQ(kept_memory(), 16 * kMega);
  const Mapping large = take_mapping(22 * kMega);
  EXPECT_EQ(kept_memory(), 0u) << "smaller ones make room";
  give_back(large, 22 * kMega);
  EXPECT_FALSE(is_mapped(large));
  set_kept_memory(0);
  const Mapping last = take_mapping(8 * kMega);
  give_back(last, 8 * kMega);
  EXPECT_FALSE(is_mapped(last));
}

TEST_F(KeptMemory, IsKeptForManyCallersButNotForAny) {
  std::vector<Mapping> mappings(20);
  for (Mapping& mapping : mappings) mapping = take_mapping(2 * kMega);
  for (const Mapping mapping : mappings) give_back(mapping, 2 * kMega);
  EXPECT_GE(kept_memory(), 2 * 2 * kMega);
  EXPECT_LT(kept_memory(), 20 * 2 * kMega);
}

TEST_F(KeptMemory, TooMuchIsBadAlloc) {
  EXPECT_THROW(take_mapping(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(take_mapping(SIZE_MAX / 4), std::bad_alloc);
  give_back(take_mapping(2 * kMega), 2 * kMega);
  EXPECT_EQ(kept_memory(), 2 * kMega);
}

/// Whether no other thread writes to memory that this one has taken.
bool is_ours(std::size_t bytes, int byte) {
  constexpr std::size_t kSome = 1 << 12;
  const Mapping mapping = take_mapping(bytes);
  fill(mapping, kSome, byte);
  std::this_thread::yield();
  const auto ours = std::count(mapping.data, mapping.data + kSome, static_cast<std::byte>(byte));
  give_back(mapping, bytes);
  return ours == static_cast<std::ptrdiff_t>(kSome);
}

TEST_F(KeptMemory, BelongsToOneThreadAtATime) {
  constexpr std::size_t kThreads = 4, kMost = 6 * kMega;
  set_kept_memory(kMost);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t id = 1; id <= kThreads; ++id) {
    threads.emplace_back([&, id] {
      for (std::size_t i = 0; i < 100; ++i) {
        wrong += !is_ours((1 + (i + id) % 4) * kMega, static_cast<int>(id));
        if (i % 16 == id) release_memory();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(kept_memory(), kMost);
}

TEST_F(KeptMemory, OfAParentIsNotCopiedForItsChild) {
  const Mapping kept = take_mapping(4 * kMega), used = take_mapping(4 * kMega);
  fill(used, 4 * kMega, 1);
  fill(kept, 4 * kMega, 1);
  give_back(kept, 4 * kMega);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Mapping taken = take_mapping(4 * kMega);
    const bool is_empty = taken.data == kept.data && zeros_in(taken, 4 * kMega) == 4 * kMega;
    fill(taken, 4 * kMega, 2);
    _exit(is_empty ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(zeros_in(used, 4 * kMega), 0u);
  give_back(used, 4 * kMega);
}

TEST_F(KeptMemory, IsThatOfSorters) {
  sortlab_sorter* const sorter = sortlab_sorter_create();
  void* const memory = sortlab_sorter_memory(sorter, 40 * kMega);
  EXPECT_EQ(kept_memory(), 0u);
  EXPECT_NE(sortlab_sorter_memory(sorter, 50 * kMega), nullptr);
  EXPECT_EQ(sortlab_sorter_memory(sorter, 30 * kMega), sortlab_sorter_memory(sorter, 1));
  sortlab_sorter_destroy(sorter);
  EXPECT_EQ(kept_memory(), 50 * kMega);
  EXPECT_NE(memory, nullptr);
}

TEST_F(KeptMemory, IsThatOfSorts) {
  if (kSanitized) GTEST_SKIP() << "a large sort takes long";
  auto keys = keys_of<std::uint64_t>(std::size_t{5} << 20);
  sortlab::sort(keys, {.threads = 1});
  EXPECT_GE(kept_memory(), keys.size() * sizeof(keys[0]));
  const long before = page_faults();
  std::reverse(keys.begin(), keys.end());
  std::swap(keys[1], keys[1000]);
  sortlab::sort(keys, {.threads = 1});
  EXPECT_LE(page_faults() - before, 10);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  std::vector<std::byte> scratch(scratch_bytes<std::uint64_t>(keys.size()));
  release_memory();
  sortlab::sort(keys, {.scratch = scratch});
  EXPECT_EQ(kept_memory(), 0u) << "the caller's memory was to be used";
}

}  // namespace
}  // namespace sortlab::tests

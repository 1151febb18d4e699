// The memory of sorts: guard zones, poison, and the meter of their own allocations.
#include "common/harness/rig/workspace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "common/harness/rig/heap_meter.hpp"

namespace sortlab {
namespace {

TEST(GuardedBuffer, NoticesAWriteOnEitherSide) {
  for (const std::size_t bytes : {0, 1, 100, 4096, 10'000}) {
    for (const std::size_t misalign : {0, 4, 24}) {
      for (const std::ptrdiff_t outside : {-1, -24, -4000, 0, 7, 4000}) {
        const GuardedBuffer buffer(bytes, misalign);
        EXPECT_TRUE(buffer.red_zones_intact());
        std::fill(buffer.span().begin(), buffer.span().end(), std::byte{7});
        EXPECT_TRUE(buffer.red_zones_intact());
        const std::ptrdiff_t place =
            outside < 0 ? outside : static_cast<std::ptrdiff_t>(bytes) + outside;
        buffer.data()[place] = std::byte{7};
        EXPECT_FALSE(buffer.red_zones_intact()) << place << " of " << bytes;
      }
    }
  }
}

#if !defined(SORTLAB_SANITIZE_THREAD)
TEST(GuardedBufferDeathTest, EndsWhoWritesFarOutside) {
  const GuardedBuffer buffer(10'000);
  for (const std::ptrdiff_t outside : {-500'000, -9'000, 20'000, 500'000}) {
    EXPECT_DEATH(buffer.data()[outside] = std::byte{7}, "") << outside;
  }
}
#endif

TEST(GuardedBuffer, StartsWhereItIsAskedTo) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(GuardedBuffer(10).data()) % 4096, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(GuardedBuffer(10, 12).data()) % 4096, 12u);
}

TEST(GuardedBuffer, IsPoisonedWhenMadeAndWhenAsked) {
  const GuardedBuffer buffer(20'000'000);  // large enough to be filled by several threads
  const auto poisoned = [&] {
    const std::byte first = buffer.data()[0];
    return first != std::byte{0} && std::all_of(buffer.span().begin(), buffer.span().end(),
                                                [=](std::byte b) { return b == first; });
  };
  EXPECT_TRUE(poisoned());
  std::fill(buffer.span().begin(), buffer.span().end(), std::byte{0});
  buffer.poison();
  EXPECT_TRUE(poisoned());
  EXPECT_TRUE(buffer.red_zones_intact());
}

TEST(GuardedBuffer, MovesWithWhatItHolds) {
  GuardedBuffer a(100);
  std::byte* const data = a.data();
  GuardedBuffer b = std::move(a);
  EXPECT_EQ(b.data(), data);
  a = std::move(b);
  EXPECT_EQ(a.data(), data);
  EXPECT_EQ(a.size(), 100u);
  EXPECT_EQ(GuardedBuffer().data(), nullptr);
  EXPECT_TRUE(GuardedBuffer().red_zones_intact());
}

TEST(KeepMappings, HandsMemoryOnAsIfItWereNew) {
  const KeepMappings keeper;
  std::byte* first;
  {
    const GuardedBuffer buffer(10'000);
    first = buffer.data();
    // Also past the end, where the guard zone of the next, smaller buffer will be.
    std::fill(first - 4096, first + 10'500, std::byte{7});
    EXPECT_FALSE(buffer.red_zones_intact());
  }
  const GuardedBuffer same_pages(9'000, 24);
  EXPECT_EQ(same_pages.data(), first + 24);
  EXPECT_TRUE(same_pages.red_zones_intact());
  const std::byte poison = GuardedBuffer(1).data()[0];
  EXPECT_TRUE(std::all_of(same_pages.span().begin(), same_pages.span().end(),
                          [=](std::byte b) { return b == poison; }));
  const GuardedBuffer other_pages(20'000);
  EXPECT_NE(other_pages.data(), first);
  EXPECT_TRUE(other_pages.red_zones_intact());
}

TEST(GuardedBuffer, SaysWhenThereIsNoMemory) {
  EXPECT_THROW(GuardedBuffer(std::size_t{1} << 60), std::bad_alloc);
}

TEST(CopyBytes, CopiesAllOfIt) {
  for (const std::size_t bytes : {0, 1, 4097, 20'000'001}) {
    std::vector<std::byte> from(bytes), to(bytes + 1, std::byte{9});
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 7);
    copy_bytes(to.data(), from.data(), bytes);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
    EXPECT_EQ(to.back(), std::byte{9});
  }
}

#if defined(SORTLAB_SANITIZED)

TEST(HeapMeter, SaysNothingBesideASanitizer) {
  HeapMeter::start();
  EXPECT_FALSE(HeapMeter::peak_bytes().has_value());
}

#else

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// The peak that the meter measures while `body` runs.
template <class Body>
std::size_t metered(Body body) {
  HeapMeter::start();
  body();
  return HeapMeter::peak_bytes().value();
}

/// Keeps the compiler from removing an allocation.
void* used(void* block) {
  asm volatile("" : : "g"(block) : "memory");
  return block;
}

testing::AssertionResult about(std::size_t actual, std::size_t expected) {
  // A block may be larger than asked for: a page of slack and a little for each thread.
  if (actual >= expected && actual <= expected + 32 * 1024) return testing::AssertionSuccess();
  return testing::AssertionFailure() << actual << " where " << expected << " were allocated";
}

TEST(HeapMeter, SeesNothingWhereNothingIs) {
  EXPECT_EQ(metered([] {}), 0u);
}

TEST(HeapMeter, SeesEachWayToAllocate) {
  EXPECT_TRUE(about(metered([] { std::free(used(std::malloc(kMiB))); }), kMiB));
  EXPECT_TRUE(about(metered([] { std::free(used(std::calloc(kMiB, 3))); }), 3 * kMiB));
  EXPECT_TRUE(about(metered([] { std::free(used(std::aligned_alloc(4096, kMiB))); }), kMiB));
  EXPECT_TRUE(about(metered([] {
                      void* block = nullptr;
                      EXPECT_EQ(posix_memalign(&block, 256, kMiB), 0);
                      std::free(used(block));
                    }),
                    kMiB));
  EXPECT_TRUE(about(metered([] { ::operator delete(used(::operator new(kMiB))); }), kMiB));
  EXPECT_TRUE(about(metered([] {
                      constexpr auto kLine = std::align_val_t{64};
                      ::operator delete(used(::operator new(kMiB, kLine)), kLine);
                    }),
                    kMiB));
  EXPECT_TRUE(about(metered([] { std::vector<char>(kMiB).shrink_to_fit(); }), kMiB));
}

TEST(HeapMeter, FollowsReallocations) {
  EXPECT_TRUE(about(metered([] {
                      void* block = used(std::malloc(kMiB));
                      block = used(std::realloc(block, 5 * kMiB));
                      block = used(std::realloc(block, 2 * kMiB));
                      std::free(block);
                    }),
                    5 * kMiB));
}

TEST(HeapMeter, KeepsThePeakAndNotTheSum) {
  EXPECT_TRUE(about(metered([] {
                      for (int i = 0; i < 10; ++i) std::free(used(std::malloc(kMiB)));
                      void* const first = used(std::malloc(kMiB));
                      void* const second = used(std::malloc(kMiB));
                      std::free(first);
                      std::free(second);
                    }),
                    2 * kMiB));
}

TEST(HeapMeter, CountsFromItsStart) {
  void* const before = used(std::malloc(8 * kMiB));
  EXPECT_TRUE(about(metered([] { std::free(used(std::malloc(kMiB))); }), kMiB));
  std::free(before);
}

TEST(HeapMeter, SeesAllThreads) {
  EXPECT_TRUE(about(metered([] {
                      void* blocks[4];
                      {
                        std::vector<std::jthread> threads;
                        for (void*& block : blocks) {
                          threads.emplace_back([&block] { block = used(std::malloc(kMiB)); });
                        }
                      }
                      for (void* const block : blocks) std::free(block);
                    }),
                    4 * kMiB));
}

#endif

}  // namespace
}  // namespace sortlab

// Two arrays in slices: every byte of both is in exactly one slice, and no slice is empty or too
// long.
#include "common/harness/rig/cuda/slices.hpp"

#include <gtest/gtest.h>

namespace sortlab {
namespace {

void expect_each_byte_once(std::size_t first_bytes, std::size_t second_bytes,
                           std::size_t slice_bytes) {
  SCOPED_TRACE(testing::Message() << first_bytes << " and " << second_bytes << " bytes by "
                                  << slice_bytes);
  const Slices slices(first_bytes, second_bytes, slice_bytes);
  std::size_t covered[2] = {0, 0};
  for (std::size_t i = 0; i < slices.count(); ++i) {
    const CopySlice slice = slices[i];
    ASSERT_LT(slice.array, 2u);
    EXPECT_EQ(slice.offset, covered[slice.array]);
    EXPECT_GT(slice.bytes, 0u);
    EXPECT_LE(slice.bytes, slice_bytes);
    covered[slice.array] += slice.bytes;
  }
  EXPECT_EQ(covered[0], first_bytes);
  EXPECT_EQ(covered[1], second_bytes);
}

TEST(Slices, HoldEachByteOnce) {
  for (const std::size_t first : {0, 1, 4095, 4096, 4097, 3 * 4096, 100'003}) {
    for (const std::size_t second : {0, 1, 4096, 20'000}) {
      for (const std::size_t slice : {1, 64, 4096, 1 << 20}) {
        expect_each_byte_once(first, second, slice);
      }
    }
  }
}

TEST(Slices, OfManyGigabytes) {
  const std::size_t bytes = (std::size_t{1} << 36) + 5;
  const Slices slices(bytes, bytes, 1 << 20);
  EXPECT_EQ(slices.count(), 2 * ((1u << 16) + 1));
  const CopySlice last = slices[slices.count() - 1];
  EXPECT_EQ(last.array, 1u);
  EXPECT_EQ(last.offset, std::size_t{1} << 36);
  EXPECT_EQ(last.bytes, 5u);
}

}  // namespace
}  // namespace sortlab

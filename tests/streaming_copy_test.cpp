// A copy by streaming stores: the bytes that memcpy would copy, and no others.
#include "common/streaming_copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sortlab {
namespace {

TEST(StreamingCopy, CopiesFromAnyToAnyAddress) {
  std::vector<std::byte> from(700);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 37 % 251);
  constexpr std::byte kUntouched{0xfe};
  for (std::size_t to_offset = 0; to_offset < 65; ++to_offset) {
    for (const std::size_t from_offset : {0, 1, 16, 63}) {
      for (const std::size_t bytes : {0, 1, 16, 63, 64, 65, 127, 128, 500}) {
        std::vector<std::byte> to(700, kUntouched);
        std::vector<std::byte> expected = to;
        streaming_copy(&to[to_offset], &from[from_offset], bytes);
        std::copy_n(&from[from_offset], bytes, &expected[to_offset]);
        ASSERT_EQ(to, expected) << bytes << " bytes from " << from_offset << " to " << to_offset;
      }
    }
  }
}

}  // namespace
}  // namespace sortlab

// Copies that several CPU threads stage, without a GPU: all bytes of both arrays arrive, and none beside them. And slices
// of arrays that are too large for a copy here.
#include "common/harness/rig/cuda/staged_copy.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "common/harness/rig/cuda/staged_copy.cpp"

namespace sortlab::device {
namespace {

constexpr std::size_t kBeside = 4096;

/// Bytes between others.
struct Bytes {
  Bytes(std::size_t count, std::byte other) : all(count + 2 * kBeside, other), other(other) {}
  std::byte* data() { return all.data() + kBeside; }
  /// Whether `count` bytes are those of `from`, and the others are as before.
  bool have(const std::vector<std::byte>& from) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_within = i >= kBeside && i - kBeside < from.size();
      if (all[i] != (is_within ? from[i - kBeside] : other)) return false;
    }
    return true;
  }
  std::vector<std::byte> all;
  std::byte other;
};

TEST(StagedCopy, BringsAllBytesThereAndBack) {
  CUstream_st stream;
  std::mt19937 random(1);
  const std::size_t kSlice = std::size_t{256} << 10;
  for (const std::size_t first :
       {std::size_t{0}, std::size_t{1}, kSlice - 1, kSlice, 5 * kSlice + 3, 40 * kSlice + 77}) {
    for (const std::size_t second : {std::size_t{0}, std::size_t{4}, 2 * kSlice, 3 * kSlice + 1}) {
      SCOPED_TRACE(testing::Message() << first << " and " << second << " bytes");
      if (first + second == 0) continue;
      std::vector<std::byte> inputs[] = {std::vector<std::byte>(first),
                                         std::vector<std::byte>(second)};
      for (auto& input : inputs) {
        for (auto& byte : input) byte = static_cast<std::byte>(random());
      }
      Bytes on_device[] = {{first, std::byte{1}}, {second, std::byte{2}}},
            results[] = {{first, std::byte{3}}, {second, std::byte{4}}};
      StagedCopy copy(first, second);
      copy.to_device(
          {{inputs[0].data(), on_device[0].data()}, {inputs[1].data(), on_device[1].data()}},
          &stream);
      stream.wait();
      copy.to_host(
          {{results[0].data(), on_device[0].data()}, {results[1].data(), on_device[1].data()}},
          &stream);
      for (int a = 0; a < 2; ++a) {
        EXPECT_TRUE(on_device[a].have(inputs[a])) << "array " << a << " on the GPU";
        EXPECT_TRUE(results[a].have(inputs[a])) << "array " << a << " on the host";
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
}  // namespace sortlab::device

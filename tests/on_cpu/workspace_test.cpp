// The workspace for sorts of any number of items up to a most, which fewer items must not outgrow: smaller tiles take
// more memory.
#include <gtest/gtest.h>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/primitives/grid/sweep/pass_plan.cuh"
#include "gpu/primitives/grid/sweep/tiles.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::tests {
namespace {

/// The bytes of the look-back's words, a kilobyte a tile, for n items.
template <class Bits, class Value>
std::size_t word_bytes(std::size_t n) {
  return gpu::sweep::with_tile<Bits, Value>(
      n, [n]<class Tile>(Tile) { return (n + Tile::kTile - 1) / Tile::kTile * 1024; });
}

template <class Bits, class Value>
void expect_room() {
  bool shrinks = false;
  for (std::size_t most = 1000; most < 6'000'000; most += most / 50) {
    const std::size_t room = gpu::bytes_up_to(most, word_bytes<Bits, Value>);
    for (std::size_t n = most; n > 500; n -= n / 200 + 1) {
      ASSERT_LE((word_bytes<Bits, Value>(n)), room) << n << " of " << most;
      shrinks |= word_bytes<Bits, Value>(n) > word_bytes<Bits, Value>(most);
    }
  }
  EXPECT_TRUE(shrinks) << "nothing is tested if more items always take more";
}

TEST(BytesUpTo, AreEnoughForFewerItems) {
  expect_room<std::uint32_t, NoValue>();
  expect_room<std::uint64_t, NoValue>();
  expect_room<std::uint32_t, std::uint32_t>();
  expect_room<std::uint64_t, std::uint32_t>();
}

}  // namespace
}  // namespace sortlab::tests

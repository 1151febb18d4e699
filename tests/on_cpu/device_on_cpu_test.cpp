// The fibers that stand in for a GPU: what is wrong on a GPU is wrong here.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include <cuda_pipeline_primitives.h>

namespace sortlab::tests {
namespace {

TEST(DeviceOnCpu, SeesAMissingBarrier) {
  for (const bool has_barrier : {true, false}) {
    unsigned wrong = 0;
    for (const Turns turns : {Turns::upwards, Turns::downwards}) {
      unsigned shared[64] = {};
      Block::run(64, turns, [&] {
        shared[threadIdx.x] = threadIdx.x;
        if (has_barrier) __syncthreads();
        wrong += shared[63 - threadIdx.x] != 63 - threadIdx.x;
      });
    }
    EXPECT_EQ(wrong > 0, !has_barrier);
  }
}

TEST(DeviceOnCpu, SeesABarrierThatSomeNeverReach) {
  EXPECT_THROW(Block::run(64, Turns::upwards,
                          [] {
                            if (threadIdx.x < 32) __syncthreads();
                          }),
               std::logic_error);
}

TEST(DeviceOnCpu, LanesShareWords) {
  Block::run(64, Turns::downwards, [] {
    const unsigned lane = threadIdx.x % 32;
    EXPECT_EQ(__shfl_xor_sync(~0u, lane, 5), lane ^ 5);
    EXPECT_EQ(__shfl_up_sync(~0u, lane, 3), lane < 3 ? lane : lane - 3);
    EXPECT_EQ(__ballot_sync(~0u, lane % 2 == 0), 0x55555555u);
    EXPECT_EQ(__match_any_sync(~0u, lane / 16), lane < 16 ? 0xffffu : 0xffff0000u);
    EXPECT_EQ(__reduce_max_sync(~0u, lane), 31u);
    EXPECT_EQ(__syncthreads_or(threadIdx.x == 63), 1);
    EXPECT_EQ(__syncthreads_and(threadIdx.x != 63), 0);
  });
}

TEST(DeviceOnCpu, ACopyArrivesWhenItsThreadWaits) {
  const unsigned from = 7;
  unsigned to = 0;
  Block::run(32, Turns::upwards, [&] {
    if (threadIdx.x != 5) return;
    __pipeline_memcpy_async(&to, &from, sizeof(to));
    EXPECT_EQ(to, 0u);
    __pipeline_wait_prior(0);
    EXPECT_EQ(to, 7u);
  });
}

TEST(DeviceOnCpu, BlocksHaveSharedMemoryOfTheirOwnAndMeet) {
  for (const Turns turns : {Turns::upwards, Turns::downwards}) {
    unsigned sum = 0;
    Block::run_grid(3, 64, turns, [&] {
      auto& s_mine = reinterpret_cast<unsigned&>(*gpu::s_dynamic);
      if (threadIdx.x == 0) s_mine = blockIdx.x;
      __syncthreads();
      atomicAdd(&sum, s_mine);
      Block::wait_in_grid(Block::arrive_in_grid());
      EXPECT_EQ(s_mine, blockIdx.x);
      EXPECT_EQ(sum, 64u * (0 + 1 + 2));
    });
  }
}

}  // namespace
}  // namespace sortlab::tests

// A barrier of all blocks of a cooperative launch: cooperative_groups::grid_group's, without the 2 MB of
// headers that come with it, which a user of sortlab/cuda.cuh would wait for at each compilation.
//
// The driver gives each cooperative launch a word of global memory, 0 in its low 31 bits, and its address in
// two registers. Blocks count themselves there; the first one adds so much more that the last to arrive flips
// the word's sign, which all wait for.
// measured: sortlab/cuda.cuh, CPU s of nvcc: 1.27 (without it and <functional>) vs 4.67;
// results/zen5/cuda_compile_time.csv
// Source: cooperative_groups/details/sync.h and driver_abi.h of CUDA 13, ABI version 1. Kernels have the
// same machine code with either, but for the order in which two sizes of the grid are multiplied (sm_90).
#pragma once

namespace sortlab::gpu {

class GridBarrier {
 public:
  using Token = unsigned;

  __device__ __forceinline__ GridBarrier() : memory_(memory_of_launch()) {}

  __device__ __forceinline__ void sync() const { barrier_wait(barrier_arrive()); }

  /// What the block wrote before is visible to all that waited.
  __device__ __forceinline__ Token barrier_arrive() const {
    if (memory_ == nullptr) __trap();  // not a cooperative launch
    Token before = 0;
    __barrier_sync(0);
    if (is_first(threadIdx)) {
      const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
      const unsigned step = is_first(blockIdx) ? kSign - (blocks - 1) : 1;
      asm volatile("atom.add.release.gpu.u32 %0,[%1],%2;"
                   : "=r"(before)
                   : "l"(&memory_->word), "r"(step)
                   : "memory");
    }
    return before;
  }
  __device__ __forceinline__ void barrier_wait(Token before) const {
    if (is_first(threadIdx)) {
      unsigned now;
      do {
        asm volatile("ld.acquire.gpu.u32 %0,[%1];" : "=r"(now) : "l"(&memory_->word) : "memory");
      } while (((before ^ now) & kSign) == 0);
    }
    __barrier_sync(0);
  }

 private:
  static constexpr unsigned kSign = 0x80000000;

  struct Memory {
    unsigned bytes;
    unsigned word;
  };
  __device__ __forceinline__ static Memory* memory_of_launch() {
    unsigned low;
    unsigned high;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return reinterpret_cast<Memory*>(static_cast<unsigned long long>(high) << 32 | low);
  }
  template <class Index>
  __device__ __forceinline__ static bool is_first(const Index& index) {
    return index.x + index.y + index.z == 0;
  }

  Memory* memory_;
};

/// The blocks of a cooperative launch: all run at the same time and meet in barriers.
struct GridTeam {
  GridBarrier group;
  __device__ unsigned rank() const { return blockIdx.x; }
  __device__ unsigned size() const { return gridDim.x; }
};

}  // namespace sortlab::gpu

// Copies between global and shared memory that bypass the registers: a thread starts a bulk copy of a range. A unit beside
// the cores does it (TMA, from sm_90 on), so it takes no other instructions.
//
//     global   ..|...xxxxxx|xxxxxxxxx|xx.......|..    a bulk copy moves whole lines of 16 items, the
//     shared     |...xxxxxx|xxxxxxxxx|xx.......|      lanes of a warp the up to 15 on either side
//
// Both sides must have the same offset within a line. If an array does not begin at a multiple of
// 16 bytes, and on older GPUs, lanes copy all items.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/warp/lanes.cuh"

// Device code that has bulk copies.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  #define SORTLAB_BULK_COPIES 1
#else
  #define SORTLAB_BULK_COPIES 0
#endif

namespace sortlab::gpu {

/// Items of a line: for any size of an item, the bytes of a line are a multiple of 16.
constexpr unsigned kLine = 16;

/// Whether the lines of an array may be copied in bulk.
template <class T>
__device__ __forceinline__ bool has_whole_lines(const T* array) {
  return SORTLAB_BULK_COPIES != 0 && reinterpret_cast<std::uintptr_t>(array) % 16 == 0;
}

/// A range of an array is `head` items, then whole lines, then the remaining items.
struct Stretch {
  unsigned head;
  unsigned in_lines;

  __device__ __forceinline__ Stretch(std::size_t first, unsigned count, bool in_bulk) {
    const unsigned to_line = static_cast<unsigned>(-first) % kLine;
    head = in_bulk && to_line < count ? to_line : count;
    in_lines = (count - head) / kLine * kLine;
  }
};

__device__ __forceinline__ unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// The state of loads by the warps of a block, in shared memory, for one use.
class BulkLoads {
 public:
  /// All threads call it, and then meet at a barrier. `warps` is how many will call expect().
  __device__ __forceinline__ void init([[maybe_unused]] unsigned warps) {
    if (threadIdx.x != 0) return;
#if SORTLAB_BULK_COPIES
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&arrived_)),
                 "r"(warps)
                 : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }
  /// A warp calls it before it starts loads with this many bytes in lines.
  __device__ __forceinline__ void expect([[maybe_unused]] unsigned bytes) {
#if SORTLAB_BULK_COPIES
    if (lane_id() != 0) return;
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived_)),
        "r"(bytes)
        : "memory");
#endif
  }
  /// A warp starts to load a range of `count` items.
  template <class T>
  __device__ __forceinline__ void start(T* s_to, const T* from, unsigned count, Stretch cut) {
#if SORTLAB_BULK_COPIES
    if (lane_id() == 0 && cut.in_lines > 0) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(gpu::shared_address(s_to + cut.head)),
          "l"(__cvta_generic_to_global(from + cut.head)),
          "r"(cut.in_lines * static_cast<unsigned>(sizeof(T))), "r"(shared_address(&arrived_))
          : "memory");
    }
#endif
#pragma unroll 1
    for (unsigned i = lane_id(); i < cut.head; i += kWarp) gpu::start_copy(s_to[i], from[i]);
#pragma unroll 1
    for (unsigned i = cut.head + cut.in_lines + lane_id(); i < count; i += kWarp) {
      gpu::start_copy(s_to[i], from[i]);
    }
  }
  /// All threads call it and wait until all items have arrived. It is a barrier.
  __device__ __forceinline__ void wait() {
    wait_for_copies();
    __syncthreads();
#if SORTLAB_BULK_COPIES
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
        "@!done bra again;\n"
        "}\n" ::"r"(shared_address(&arrived_))
        : "memory");
#endif
  }

 private:
  std::uint64_t arrived_;
};

/// To be called before a bulk store of items that the block's threads have written to shared
/// memory. It is a barrier.
__device__ __forceinline__ void before_bulk_stores() {
#if SORTLAB_BULK_COPIES
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
}
/// A block stores `count` items of shared memory; both sides begin with a line.
template <unsigned kThreads, class T>
__device__ __forceinline__ void store_lines(T* to, const T* s_from, unsigned count) {
  const unsigned in_lines = gpu::has_whole_lines(to) ? count / kLine * kLine : 0;
#if SORTLAB_BULK_COPIES
  if (threadIdx.x == 0 && in_lines > 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "r"(gpu::shared_address(s_from)), "r"(in_lines * static_cast<unsigned>(sizeof(T)))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
#endif
#pragma unroll 1
  for (unsigned i = in_lines + threadIdx.x; i < count; i += kThreads) to[i] = s_from[i];
}
/// Waits until the bulk stores that this thread has started no longer read shared memory.
__device__ __forceinline__ void wait_for_bulk_stores() {
#if SORTLAB_BULK_COPIES
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

}  // namespace sortlab::gpu

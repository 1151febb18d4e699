// Runs the device code of a block, or of a small grid, on the CPU, so that it is tested where no GPU is: each
// CUDA thread is a fiber, which runs until its next barrier or warp instruction.
//
//   fiber 0   ----|barrier            ----|shuffle
//   fiber 1       ----|barrier            ----|shuffle        one at a time, in rounds
//   fiber 2           ----|barrier            ----|shuffle
//
// A missing barrier shows as a wrong result in one order of the fibers or the other, and a barrier that
// some threads never reach ends the run. Blocks have dynamic shared memory of their own, the static one is the
// same for all. Not seen: memory order, and what the hardware's own rounding does.
// For code without PTX; headers of stand_in/ take the place of those of CUDA, and of the few of gpu/ that hold PTX.
// Include it after GoogleTest and before them: it defines the words of CUDA.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/effort.hpp"

// ---- The words of CUDA ----

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__
// One copy for all fibers, in functions and for the dynamic shared memory.
#define __shared__ thread_local
// `asm volatile(...)` is PTX that orders memory or fetches ahead; headers with other PTX have stand-ins.
#define asm
#define volatile(...)

struct uint4 {
  unsigned x, y, z, w;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

struct ThreadIndex {
  unsigned x;
};
inline ThreadIndex threadIdx;  // of the fiber that runs
inline ThreadIndex blockIdx;
inline ThreadIndex gridDim{1};
inline ThreadIndex blockDim;

namespace sortlab::gpu {

/// The dynamic shared memory of the block that runs (gpu/primitives/block/tile.cuh).
inline thread_local std::byte s_dynamic[1 << 18] __attribute__((aligned(16)));

}  // namespace sortlab::gpu

namespace sortlab::tests {

/// In which order the fibers of a block take turns.
/// `alternating`: upwards in blocks with even numbers, downwards in the others.
enum class Turns { upwards, downwards, alternating };

/// The kinds of keys to try: the first six; all of them at full effort.
inline std::vector<const char*> kinds(std::initializer_list<const char*> all) {
  const std::size_t count =
      kEffort == Effort::full ? all.size() : std::min<std::size_t>(all.size(), 6);
  return {all.begin(), all.begin() + count};
}

/// A place where `threads` fibers meet.
struct Meeting {
  unsigned threads = 0;
  unsigned arrived = 0;
  unsigned long meetings = 0;
  unsigned yes = 0;          // threads of this meeting that came with true, so far
  unsigned yes_of_last = 0;  // of the one before
};

/// The block that runs, and the others of its grid. One grid at a time in a process.
class Block {
 public:
  static constexpr unsigned kWarp = 32;

  /// Runs `body` once for each thread. Throws std::logic_error if threads wait for others that never come.
  static void run(unsigned threads, Turns turns, std::function<void()> body) {
    run_grid(1, threads, turns, std::move(body));
  }

  /// The same for each thread of several blocks, which find their dynamic shared memory as the one before left it.
  static void run_grid(unsigned blocks, unsigned threads, Turns turns, std::function<void()> body,
                       std::size_t shared_bytes = 1 << 16) {
    gridDim.x = blocks;
    run_together(0, blocks, threads, turns, std::move(body), shared_bytes);
    gridDim.x = 1;
  }

  /// The same, but each block ends before the next one begins, which finds any bytes in its shared memory. Returns how
  /// often the threads of a block met, at most.
  static unsigned long run_in_turn(unsigned blocks, unsigned threads,
                                   const std::function<void()>& body) {
    gridDim.x = blocks;
    unsigned long meetings = 0;
    for (unsigned block = 0; block < blocks; ++block) {
      std::memset(gpu::s_dynamic, 0xa5, sizeof(gpu::s_dynamic));
      meetings = std::max(meetings, run_together(block, 1, threads, Turns::alternating, body));
    }
    gridDim.x = 1;
    return meetings;
  }
  /// Waits for all fibers of a block; says how many of them came with true.
  static unsigned meet(bool value) {
    Meeting& all = running_->meetings_[blockIdx.x - running_->first_];
    running_->wait_for(all, running_->arrive_at(all, value));
    return all.yes_of_last;
  }

  /// The same for a group of the block's threads, which all give the same number, below 15.
  static unsigned meet_in_group(unsigned group, unsigned threads, bool value) {
    Meeting& some = running_->groups_[blockIdx.x - running_->first_][group];
    some.threads = threads;
    running_->wait_for(some, running_->arrive_at(some, value));
    return some.yes_of_last;
  }

  /// The barrier of a grid, in two steps: wait_in_grid() takes what arrive_in_grid() returned.
  static unsigned long arrive_in_grid() { return running_->arrive_at(running_->grid_, false); }
  static void wait_in_grid(unsigned long arrival) { running_->wait_for(running_->grid_, arrival); }

  /// The number of the fiber that runs.
  static unsigned fiber() { return (blockIdx.x - running_->first_) * blockDim.x + threadIdx.x; }

  /// Gives each lane's word to the others of the warp, and returns what use(words) says.
  template <class T, class Use>
  static auto share(const T& mine, Use use) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
    Warp& warp = running_->warps_[fiber() / kWarp];
    std::memcpy(&warp.words[threadIdx.x % kWarp], &mine, sizeof(T));
    running_->wait_for(warp.lanes, running_->arrive_at(warp.lanes, false));
    const auto result = use([&warp](unsigned lane) {
      T word;
      std::memcpy(&word, &warp.words[lane % kWarp], sizeof(T));
      return word;
    });
    running_->wait_for(warp.lanes, running_->arrive_at(warp.lanes, false));
    return result;
  }

 private:
  struct Fiber {
    static constexpr std::size_t kStack = std::size_t{1} << 16;
    ucontext_t begin{};
    jmp_buf place;  // where it goes on, once it has begun
    bool has_begun = false;
    bool has_ended = false;
    const Meeting* waits_for = nullptr;
    unsigned long arrival = 0;

    bool can_run() const {
      return !has_ended && (waits_for == nullptr || waits_for->meetings != arrival);
    }
  };
  struct Warp {
    Meeting lanes;
    std::array<std::uint64_t, kWarp> words{};
  };

  /// Runs blocks of the grid from number `first` on, at the same time. Returns how often the threads of the first met.
  static unsigned long run_together(unsigned first, unsigned blocks, unsigned threads, Turns turns,
                                    std::function<void()> body, std::size_t shared_bytes = 0) {
    blockDim.x = threads;
    Block grid(first, blocks, threads, std::move(body));
    grid.shared_bytes_ = shared_bytes;
    running_ = &grid;
    for (unsigned left = blocks * threads; left > 0;) {
      const unsigned long before = grid.steps_;
      for (unsigned turn = 0; turn < blocks; ++turn) {
        const unsigned block = first + (turns == Turns::downwards ? blocks - 1 - turn : turn);
        const bool is_upwards =
            turns == Turns::upwards || (turns == Turns::alternating && block % 2 == 0);
        grid.enter(block);
        for (unsigned long steps = ~0ul; steps != grid.steps_;) {  // until it waits for the grid
          steps = grid.steps_;
          left -= grid.run_once(is_upwards);
        }
      }
      if (grid.steps_ == before) throw std::logic_error("threads wait for others that never come");
    }
    grid.enter(first);
    blockIdx.x = 0;
    return grid.meetings_[0].meetings;
  }

  Block(unsigned first, unsigned blocks, unsigned threads, std::function<void()> body)
      : body_(std::move(body)),
        first_(first),
        threads_(threads),
        fibers_(blocks * threads),
        warps_(blocks * threads / kWarp),
        meetings_(blocks),
        groups_(blocks),
        memories_(blocks) {
    grid_.threads = blocks * threads;
    for (Meeting& meeting : meetings_) meeting.threads = threads;
    for (Warp& warp : warps_) warp.lanes.threads = kWarp;
    for (std::size_t i = 0; i < fibers_.size(); ++i) {
      if (i == stacks_.size()) stacks_.emplace_back(new char[Fiber::kStack]);
      prepare(fibers_[i], stacks_[i].get());
    }
    blockIdx.x = first;
  }

  [[gnu::noinline]] static void prepare(Fiber& fiber, char* stack) {
    getcontext(&fiber.begin);
    fiber.begin.uc_stack.ss_sp = stack;
    fiber.begin.uc_stack.ss_size = Fiber::kStack;
    makecontext(&fiber.begin, &Block::live, 0);
  }

  static void live() {
    running_->body_();
    running_->fibers_[fiber()].has_ended = true;
    ++running_->steps_;
    running_->pause();
  }

  /// From here on `block` runs, with its own shared memory.
  void enter(unsigned block) {
    if (block == blockIdx.x) return;
    auto& s_dynamic = gpu::s_dynamic;
    memories_[blockIdx.x - first_].assign(s_dynamic, s_dynamic + shared_bytes_);
    blockIdx.x = block;
    const std::vector<std::byte>& memory = memories_[block - first_];
    std::copy(memory.begin(), memory.end(), s_dynamic);
  }

  /// Runs each fiber of the block to where it waits or ends; says how many have ended. Two warps run until they wait for
  /// others before the next ones do: groups of threads that meet by themselves are never in step.
  unsigned run_once(bool is_upwards) {
    constexpr unsigned kTogether = 2 * kWarp;
    unsigned ended = 0;
    for (unsigned first = 0; first < threads_; first += kTogether) {
      for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (unsigned turn = first; turn < std::min(first + kTogether, threads_); ++turn) {
          threadIdx.x = is_upwards ? turn : threads_ - 1 - turn;
          Fiber& it = fibers_[fiber()];
          if (!it.can_run()) continue;
          resume(it);
          ended += it.has_ended;
          goes_on = true;
        }
      }
    }
    return ended;
  }

  // swapcontext() would ask the kernel for the mask of signals each time.
  [[gnu::noinline]] void resume(Fiber& fiber) {
    if (_setjmp(scheduler_) != 0) return;
    if (fiber.has_begun) _longjmp(fiber.place, 1);
    fiber.has_begun = true;
    setcontext(&fiber.begin);
  }
  [[gnu::noinline]] void pause() {
    if (_setjmp(fibers_[fiber()].place) == 0) _longjmp(scheduler_, 1);
  }

  unsigned long arrive_at(Meeting& meeting, bool value) {
    ++steps_;
    meeting.yes += value;
    const unsigned long arrival = meeting.meetings;
    if (++meeting.arrived == meeting.threads) {
      meeting.arrived = 0;
      meeting.yes_of_last = std::exchange(meeting.yes, 0);
      ++meeting.meetings;
    }
    return arrival;
  }
  void wait_for(const Meeting& meeting, unsigned long arrival) {
    if (meeting.meetings != arrival) return;
    Fiber& it = fibers_[fiber()];
    it.waits_for = &meeting;
    it.arrival = arrival;
    pause();
  }

  inline static Block* running_ = nullptr;
  inline static std::vector<std::unique_ptr<char[]>> stacks_;  // for the fibers of any grid
  std::function<void()> body_;
  unsigned first_;
  unsigned threads_;
  std::size_t shared_bytes_ = 0;  // dynamic, of a block
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  std::vector<Meeting> meetings_;  // of each block
  std::vector<std::array<Meeting, 15>> groups_;
  Meeting grid_;
  std::vector<std::vector<std::byte>> memories_;  // of the blocks that do not run
  jmp_buf scheduler_;
  unsigned long steps_ = 0;  // threads that came to a meeting, or to their end
};

}  // namespace sortlab::tests

// ---- Barriers ----

inline void __syncthreads() { sortlab::tests::Block::meet(false); }
inline int __syncthreads_count(int value) {
  return static_cast<int>(sortlab::tests::Block::meet(value != 0));
}
inline int __syncthreads_or(int value) { return __syncthreads_count(value) > 0; }
inline int __syncthreads_and(int value) { return __syncthreads_count(value == 0) == 0; }

// ---- Warp instructions; all lanes come ----

inline void __syncwarp() {
  sortlab::tests::Block::share(0, [](auto) { return 0; });
}

template <class T>
T __shfl_sync(unsigned, T mine, int lane) {
  return sortlab::tests::Block::share(
      mine, [=](auto word_of) { return word_of(static_cast<unsigned>(lane)); });
}
template <class T>
T __shfl_xor_sync(unsigned, T mine, unsigned mask) {
  return sortlab::tests::Block::share(mine,
                                      [=](auto word_of) { return word_of(threadIdx.x ^ mask); });
}
template <class T>
T __shfl_up_sync(unsigned, T mine, unsigned distance) {
  const unsigned lane = threadIdx.x % sortlab::tests::Block::kWarp;
  return sortlab::tests::Block::share(
      mine, [=](auto word_of) { return lane >= distance ? word_of(lane - distance) : mine; });
}
template <class T>
T __shfl_down_sync(unsigned, T mine, unsigned distance) {
  const unsigned lane = threadIdx.x % sortlab::tests::Block::kWarp;
  return sortlab::tests::Block::share(mine, [=](auto word_of) {
    return lane + distance < sortlab::tests::Block::kWarp ? word_of(lane + distance) : mine;
  });
}
/// A bit for each lane whose word holds_for() likes.
template <class T, class Holds>
unsigned lanes_where(T mine, Holds holds) {
  return sortlab::tests::Block::share(mine, [=](auto word_of) {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < sortlab::tests::Block::kWarp; ++lane) {
      lanes |= static_cast<unsigned>(holds(word_of(lane))) << lane;
    }
    return lanes;
  });
}
inline unsigned __ballot_sync(unsigned, bool value) {
  return lanes_where(value, [](bool other) { return other; });
}
inline int __any_sync(unsigned lanes, bool value) { return __ballot_sync(lanes, value) != 0; }
inline int __all_sync(unsigned lanes, bool value) { return __ballot_sync(lanes, !value) == 0; }
template <class T>
unsigned __match_any_sync(unsigned, T mine) {
  return lanes_where(mine, [=](T other) { return other == mine; });
}
inline unsigned __reduce_min_sync(unsigned, unsigned mine) {
  return sortlab::tests::Block::share(mine, [](auto word_of) {
    unsigned least = ~0u;
    for (unsigned lane = 0; lane < 32; ++lane) least = std::min(least, word_of(lane));
    return least;
  });
}
inline unsigned __reduce_add_sync(unsigned, unsigned mine) {
  return sortlab::tests::Block::share(mine, [](auto word_of) {
    unsigned sum = 0;
    for (unsigned lane = 0; lane < 32; ++lane) sum += word_of(lane);
    return sum;
  });
}
inline unsigned __reduce_or_sync(unsigned, unsigned mine) {
  return sortlab::tests::Block::share(mine, [](auto word_of) {
    unsigned any = 0;
    for (unsigned lane = 0; lane < 32; ++lane) any |= word_of(lane);
    return any;
  });
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned mine) {
  return ~__reduce_min_sync(mask, ~mine);
}

// ---- One thread's instructions ----

inline void __threadfence() {}
inline void __threadfence_block() {}
inline std::size_t __cvta_generic_to_shared(const void* shared) {
  return reinterpret_cast<std::size_t>(shared);
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
inline bool __isGlobal(const void*) { return true; }
#ifndef __clang__
  #define __builtin_assume(condition) static_cast<void>(0)
#endif
inline void __nanosleep(unsigned) {}

using std::max;
using std::min;
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
inline int __ffsll(long long x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> shift % 32);
}
/// The sum of c and of the two halves of a, times the two low bytes of b.
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
inline float __fdividef(float a, float b) { return a / b; }
/// The nearest float that is not less, or not greater: of a double that is as exact as the operation asks for.
inline float up_to_float(double x) {
  const auto near = static_cast<float>(x);
  return near < x ? std::nextafterf(near, HUGE_VALF) : near;
}
inline float down_to_float(double x) { return -up_to_float(-x); }
inline float __uint2float_ru(unsigned x) { return up_to_float(x); }
inline unsigned __float2uint_rz(float x) { return static_cast<unsigned>(x); }
inline float __fadd_ru(float a, float b) { return up_to_float(double{a} + double{b}); }
inline float __fdiv_rd(float a, float b) { return down_to_float(double{a} / double{b}); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
template <class T>
T atomicAdd(T* to, T x) {
  return std::exchange(*to, *to + x);
}
template <class T>
T atomicOr(T* to, T x) {
  return std::exchange(*to, *to | x);
}
template <class T>
T atomicMin(T* to, T x) {
  return std::exchange(*to, std::min(*to, x));
}
template <class T>
T atomicMax(T* to, T x) {
  return std::exchange(*to, std::max(*to, x));
}

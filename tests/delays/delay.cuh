// Delays where blocks communicate, so that tests meet orders of events that are very rare on a GPU
// otherwise. To be included before the kernels, and compiled with tests/delays as the first folder
// for headers. The kernels themselves are unchanged:
//
//   words that blocks watch   a header of this folder replaces gpu/primitives/grid/relaxed.cuh
//   atomics in global memory  a function nearer to the kernels hides CUDA's
//   barriers of a team        a Team that dawdles before and after each
#pragma once

#include <utility>

namespace sortlab {
namespace delays {

__device__ unsigned d_repetition;
__device__ unsigned long long d_deadline;  // of the repetition: later waits would never end

__device__ inline unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

__device__ inline unsigned long long now_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/// One thread sets the delays of the next sort.
__device__ inline void begin_repetition(unsigned repetition) {
  constexpr unsigned long long kPatience = 20'000'000'000;  // enough for a sanitizer, too
  d_repetition = repetition;
  d_deadline = now_ns() + kPatience;
}

/// Sleeps at random: some blocks of a sort often and long, some briefly, some never.
__device__ inline void dawdle() {
  constexpr unsigned kMostNs[] = {4096, 512, 64, 0};
  const unsigned most = kMostNs[mix(d_repetition ^ mix(blockIdx.x)) % 4];
  const unsigned chance = mix(static_cast<unsigned>(clock()) ^ threadIdx.x << 20);
  if (most > 0 && chance % 4 == 0) __nanosleep((chance >> 8) % most);
}

/// A sort that hangs must not hang the GPU.
__device__ inline void give_up_after_deadline() {
  if (now_ns() > d_deadline) __trap();
}

/// A team of gpu/radix/small that comes late to its barriers and leaves them late.
template <class Team>
struct Dawdling {
  struct Group {
    decltype(Team::group) inner;

    __device__ auto barrier_arrive() const {
      dawdle();
      return inner.barrier_arrive();
    }
    template <class Token>
    __device__ void barrier_wait(Token&& token) const {
      inner.barrier_wait(std::forward<Token>(token));
      dawdle();
    }
    __device__ void sync() const {
      dawdle();
      inner.sync();
      dawdle();
    }
    template <class T>
    __device__ T* map_shared_rank(T* address, unsigned block) const {
      return inner.map_shared_rank(address, block);
    }
  };
  Team team;
  Group group{team.group};
  __device__ unsigned rank() const { return team.rank(); }
  __device__ unsigned size() const { return team.size(); }
};

/// The same with the fault that such a test must find: there is no wait in the middle.
template <class Team>
struct Impatient : Dawdling<Team> {
  struct Group : Dawdling<Team>::Group {
    __device__ void sync() const {
      dawdle();
      __syncthreads();
    }
  };
  Group group{{this->team.group}};
};

}  // namespace delays

template <class T, class U>
__device__ T atomicAdd(T* address, U value) {
  if (__isGlobal(address)) delays::dawdle();
  return ::atomicAdd(address, static_cast<T>(value));
}

}  // namespace sortlab

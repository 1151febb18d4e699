// Comparisons with state. Device code makes a comparison where it needs one, as Less{}. That costs nothing,
// but such an object can hold nothing. Held<Less>{} finds the object that the kernel was passed, in shared
// memory:
//
//   kernel<P>(..., less)        hold<P::Less>(less): thread 0 copies it to a slot
//     any function              Held<Less>{}(a, b) calls the object in the slot
#pragma once

#include <cstring>
#include <type_traits>

namespace sortlab::gpu {

template <class Less>
struct Held {
  static_assert(sizeof(Less) <= 1024,
                "a comparison of more than 1024 bytes: let it hold a pointer");

  __device__ __forceinline__ static Less& slot() {
    __shared__ alignas(Less) unsigned char s_bytes[sizeof(Less)];
    return reinterpret_cast<Less&>(s_bytes);
  }
  template <class Key>
  __device__ __forceinline__ bool operator()(const Key& a, const Key& b) const {
    return static_cast<const Less&>(slot())(a, b);
  }
};

/// What a kernel is passed of a comparison: nothing, or the object to hold.
struct NoState {};
template <class Less>
struct StateOf {
  using Type = NoState;
};
template <class Less>
struct StateOf<Held<Less>> {
  using Type = Less;
};

/// The block's threads call it before any comparison.
template <class Less>
__device__ __forceinline__ void hold(NoState) {}
template <class Less, class State>
__device__ __forceinline__ void hold(const State& state) {
  if (threadIdx.x == 0) ::memcpy(&Less::slot(), &state, sizeof(State));
  __syncthreads();
}

}  // namespace sortlab::gpu

// The radix sorts of gpu/radix that the library calls: which one for n and the types, and the call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "gpu/radix/sorts.hpp"
#include "library/cuda/gpu_facts.hpp"

namespace sortlab::cuda::detail {

/// The sorts, as their files are called.
enum class Rung : std::uint8_t { small, onesweep, top_sweep, msd_hybrid, wide_pairs, compact };

/// The widths of what is sorted: keys of 4 or 8 bytes, values of 0, 4 or 8.
struct Widths {
  unsigned key_bytes;
  unsigned value_bytes;

  static Widths of(const gpu::radix::Call& call) {
    return {static_cast<unsigned>(bytes_of(call.keys.type)),
            static_cast<unsigned>(call.value_bytes)};
  }
};

/// The fastest known for n that this GPU has room for.
Rung choose_rung(const GpuFacts& gpu, Widths widths, std::size_t n);

/// An array of keys or values, as a sort may use it.
struct Arrays {
  const void* in;
  void* out;         // may be `in`
  void* alternate;   // a third one; null if in_is_spare
  bool in_is_spare;  // `in` may be overwritten

  void* mutable_in() const { return const_cast<void*>(in); }
  /// The two that a sort works in. The first, where most leave the result, may be `in`.
  void* data() const { return in_is_spare ? mutable_in() : out; }
  void* second() const { return in_is_spare ? out : alternate; }
};

/// Which of the arrays hold the result.
struct Sorted {
  void* keys;
  void* values;
};

/// The workspace for n items on any GPU.
std::size_t rung_bytes(Widths widths, std::size_t n);

/// Whether the sort can write the places of numbered items as 8 bytes.
bool widens_places(Rung rung);

/// Enqueues the sort of the items in these arrays, the call's own ones but for `values.in`, which is not read if the values
/// are the items' places. Stable.
Sorted sort_by(Rung rung, gpu::radix::Call call, bool are_numbered, const Arrays& keys,
               const Arrays& values);

}  // namespace sortlab::cuda::detail

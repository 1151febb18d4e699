// The radix sorts of gpu/radix that the library calls: which one for n and the types, and the call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

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

// The measured choices of gpu/auto (gpu/auto/defaults.json), which cmake/gpu_choices.cmake writes as C++.

/// From this n on, this sort.
struct ChoiceStep {
  std::size_t from_n;
  Rung rung;
};

/// The SMs of the GPU that was measured.
extern const double kSmsOfChoices;

/// In order of n. None for values of 8 bytes, which have wide_pairs alone.
std::span<const ChoiceStep> choice_steps(Widths widths);

// LSD radix sorts by sweeps for what the rungs of gpu/radix do not sort: values of 8 bytes, and any items on
// GPUs with little shared memory.

/// Shared memory that a block of each needs.
constexpr std::size_t kWideBlockBytes = 128 * 1024;
constexpr std::size_t kCompactBlockBytes = 48 * 1024;

/// The workspace.
std::size_t wide_pairs_bytes(Widths widths, std::size_t n);
std::size_t compact_bytes(Widths widths, std::size_t n);

/// The workspace has room.
void sort_wide_pairs(const gpu::radix::Call& call);
void sort_compactly(const gpu::radix::Call& call);

}  // namespace sortlab::cuda::detail

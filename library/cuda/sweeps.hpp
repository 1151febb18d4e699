// LSD radix sorts by sweeps for what the rungs of gpu/radix do not sort: values of 8 bytes, and any items on
// GPUs with little shared memory.
#pragma once

#include <cstddef>

#include "library/cuda/rungs.hpp"

namespace sortlab::cuda::detail {

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

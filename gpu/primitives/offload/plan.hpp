// How n items in host memory are cut into pieces that a limited amount of device memory can hold. Needs no CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/contract/errors.hpp"
#include "common/utils.hpp"

namespace sortlab::gpu::offload {

/// n items in pieces that are as even as can be.
struct PiecePlan {
  std::size_t n;
  std::size_t pieces;

  std::size_t begin(std::size_t piece) const {
    return n / pieces * piece + n % pieces * piece / pieces;
  }
  std::size_t size(std::size_t piece) const { return begin(piece + 1) - begin(piece); }
  /// The items of the largest piece.
  std::size_t most() const { return ceil_div(n, pieces); }
};

/// With more pieces, the second crossing would copy a million and more short stretches.
inline constexpr std::size_t kMostPieces = 1024;

/// Below this many bytes a piece is not worth a step of the pipeline.
inline constexpr std::size_t kLeastPiece = std::size_t{4} << 20;
/// Pieces that must be smaller than wanted, to fit the GPU, have this many bytes at most: small ones overlap better.
inline constexpr std::size_t kMostPiece = std::size_t{512} << 20;

/// At most `most` pieces of `bytes` in all, none too small to be worth it.
inline std::size_t pieces_worth_it(std::size_t bytes, std::size_t most) {
  return std::clamp<std::size_t>(bytes / kLeastPiece, 1, std::min(most, kMostPieces));
}

/// The fewest pieces that fit: at least `least`, and `device_bytes(plan)` is at most `budget`. Throws BadInput where
/// kMostPieces do not fit.
template <class DeviceBytes>
PiecePlan plan_pieces(std::size_t n, std::size_t least, std::size_t budget,
                      const DeviceBytes& device_bytes) {
  const auto in_mib = [](std::size_t bytes) { return std::to_string(ceil_div(bytes, 1u << 20)); };
  PiecePlan plan{n, std::max<std::size_t>(least, 1)};
  for (; plan.pieces <= kMostPieces; ++plan.pieces) {
    if (device_bytes(plan) <= budget) return plan;
  }
  plan.pieces = kMostPieces;
  throw BadInput("needs " + in_mib(device_bytes(plan)) +
                 " MiB of GPU memory for so many keys, may take " + std::to_string(budget >> 20));
}

}  // namespace sortlab::gpu::offload

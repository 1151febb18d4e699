// Regular samples over ranks: how many a rank takes, and how many items they let a rank receive at most.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "common/contract/parts.hpp"

namespace sortlab::cpu::parts {

inline constexpr std::array kSampleParams = {
    ParamSpec{"oversampling", 8, 1, 1024, "samples that each rank takes for each splitter"}};

/// How many of its items a rank takes as samples, if it has as many.
inline std::size_t samples_wanted(int parts, const Params& params) {
  return static_cast<std::size_t>(parts) * static_cast<std::size_t>(params["oversampling"]);
}

/// The most items of a rank. In a range between two splitters lie as many samples of all ranks as each rank takes, and one
/// more. Each stands for the `gap` items behind it, and each rank may add a part of one gap.
inline std::size_t most_by_samples(const PartRequest& request) {
  const std::size_t wanted = samples_wanted(request.parts, request.params);
  const std::size_t gap = (request.most_n() + wanted - 1) / wanted;
  const std::size_t bound = (wanted + 1 + static_cast<std::size_t>(request.parts)) * gap;
  return std::max(std::min(request.all_n, bound), request.most_n());
}

}  // namespace sortlab::cpu::parts

// The number of items in the type in which CUB sorts fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sortlab::gpu::baselines {

/// Calls call(n) with n in 32 bits where it fits, else in 64: CUB chooses the width of its offsets by
/// the type of the count.
template <class Call>
void with_count(std::size_t n, Call call) {
  if (n <= std::numeric_limits<std::uint32_t>::max()) {
    call(static_cast<std::uint32_t>(n));
  } else {
    call(static_cast<std::uint64_t>(n));
  }
}

}  // namespace sortlab::gpu::baselines

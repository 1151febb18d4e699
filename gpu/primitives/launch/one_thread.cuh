// The common part of the five naive variants: a launch of a single thread, and the largest n for
// it.
#pragma once

#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu {

/// A bound that keeps the slowest of the five within seconds, because nothing hides the latency of
/// a single thread.
inline Limit one_thread_limit() { return {std::size_t{1} << 16, "one GPU thread does it all"}; }

template <class... Parameters, class... Arguments>
void launch_one_thread(void (*kernel)(Parameters...), cudaStream_t stream,
                       const Arguments&... arguments) {
  launch("one_thread", kernel, {1, 1}, stream, arguments...);
}

}  // namespace sortlab::gpu

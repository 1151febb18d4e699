// Dynamic shared memory of more than 48 KB, which a kernel must be allowed.
#pragma once

#include <cstddef>
#include <mutex>
#include <string_view>

namespace sortlab::gpu {

/// Allows `kernel` the dynamic shared memory of a launch. Hold what is returned until it is
/// launched: another thread may allow the same kernel less, for a launch of its own.
[[nodiscard]] std::unique_lock<std::mutex> allow_shared_bytes(std::string_view name,
                                                              const void* kernel,
                                                              std::size_t bytes);
template <class... Parameters>
[[nodiscard]] std::unique_lock<std::mutex> allow_shared_bytes(std::string_view name,
                                                              void (*kernel)(Parameters...),
                                                              std::size_t bytes) {
  return allow_shared_bytes(name, reinterpret_cast<const void*>(kernel), bytes);
}

}  // namespace sortlab::gpu

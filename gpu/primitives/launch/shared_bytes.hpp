// Dynamic shared memory of more than 48 KB, which a kernel must be allowed.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <string_view>

namespace sortlab::gpu {

/// Allows `kernel` the dynamic shared memory of a launch on the current device. What was allowed once stays allowed,
/// so that launches of several threads do not meet.
void allow_shared_bytes(std::string_view name, const void* kernel, std::size_t bytes);
template <class... Parameters>
void allow_shared_bytes(std::string_view name, void (*kernel)(Parameters...), std::size_t bytes) {
  allow_shared_bytes(name, reinterpret_cast<const void*>(kernel), bytes);
}

/// cudaFuncSetAttribute for the current device. That function forgets the pending error of the calling thread
/// (CUDA 13.0), which may be one of the program that it has not looked at yet; this one does not.
void set_attribute(const void* kernel, cudaFuncAttribute attribute, std::size_t value);

}  // namespace sortlab::gpu

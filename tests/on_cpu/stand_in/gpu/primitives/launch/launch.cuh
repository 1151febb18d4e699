// Stands in for the header of this name where fibers run device code: a launch returns when its kernel has ended.
// After device_on_cpu.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sortlab::gpu {

/// A small GPU, so that few keys are many for it.
inline std::size_t multiprocessors = 3;

inline std::size_t device_attribute(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      return multiprocessors;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return sizeof(s_dynamic);
    default:
      return 0;
  }
}

struct Grid {
  std::size_t blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
};

enum class Start { in_turn, early };

/// The first address is that of a function that calls the kernel with its arguments.
template <class Use, class... Parameters>
void with_addresses(Use use, void (*kernel)(Parameters...), Parameters... arguments) {
  std::function<void()> call = [&] { kernel(arguments...); };
  void* addresses[] = {&call};
  use(reinterpret_cast<const void*>(kernel), addresses);
}

inline void check_grid(std::string_view name, const Grid& grid) {
  if (grid.shared_bytes > sizeof(s_dynamic) || grid.threads > 1024) {
    throw std::logic_error(std::string(name) + " is too large for a block");
  }
}

/// How many launches of each kernel were not over at once: threads met more than once.
inline std::map<std::string, unsigned, std::less<>> launches_with_work;

inline void launch_kernel(std::string_view name, const void*, const Grid& grid, cudaStream_t,
                          void** arguments, Start = Start::in_turn) {
  check_grid(name, grid);
  const auto meetings =
      tests::Block::run_in_turn(static_cast<unsigned>(grid.blocks), grid.threads,
                                *static_cast<std::function<void()>*>(arguments[0]));
  launches_with_work[std::string(name)] += meetings > 1;
}

template <class... Parameters, class... Arguments>
void launch(std::string_view name, void (*kernel)(Parameters...), Grid grid, cudaStream_t stream,
            const Arguments&... arguments) {
  with_addresses([&](const void* function,
                     void** addresses) { launch_kernel(name, function, grid, stream, addresses); },
                 kernel, static_cast<Parameters>(arguments)...);
}

inline void clear(void* d_memory, std::size_t bytes, cudaStream_t) {
  std::fill_n(static_cast<std::byte*>(d_memory), bytes, std::byte{0});
}

}  // namespace sortlab::gpu

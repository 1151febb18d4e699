// For tests of choices that depend on the GPU, where no such GPU is.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <map>
#include <utility>

namespace sortlab::gpu {

/// While it lives, device_attribute() answers the calling thread so. One at a time per thread.
class PretendedAttributes {
 public:
  using Values = std::map<cudaDeviceAttr, std::size_t>;
  explicit PretendedAttributes(Values values);
  ~PretendedAttributes();
  PretendedAttributes(const PretendedAttributes&) = delete;
  PretendedAttributes& operator=(const PretendedAttributes&) = delete;

 private:
  Values values_;
};

}  // namespace sortlab::gpu

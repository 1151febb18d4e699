// Named time ranges, which Nsight shows. They do nothing if NVTX's header is missing.
#pragma once

namespace sortlab {

/// Names its lifetime. `name` may be destroyed earlier.
class NvtxRange {
 public:
  explicit NvtxRange(const char* name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace sortlab

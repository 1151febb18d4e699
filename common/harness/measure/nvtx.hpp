// Named time ranges, which Nsight shows. They do nothing if NVTX's header is missing.
#pragma once

#if defined(SORTLAB_HAVE_NVTX)
  #include <nvtx3/nvToolsExt.h>
#endif

namespace sortlab {

/// Names its lifetime. `name` may be destroyed earlier.
class NvtxRange {
 public:
#if defined(SORTLAB_HAVE_NVTX)
  explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
  ~NvtxRange() { nvtxRangePop(); }
#else
  explicit NvtxRange(const char*) {}
  ~NvtxRange() {}  // not trivial, so that an unused range draws no warning
#endif
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace sortlab

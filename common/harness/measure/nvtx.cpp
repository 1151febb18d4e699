#include "common/harness/measure/nvtx.hpp"

#if defined(SORTLAB_HAVE_NVTX)
  #include <nvtx3/nvToolsExt.h>
#endif

namespace sortlab {

#if defined(SORTLAB_HAVE_NVTX)
NvtxRange::NvtxRange(const char* name) { nvtxRangePushA(name); }
NvtxRange::~NvtxRange() { nvtxRangePop(); }
#else
NvtxRange::NvtxRange(const char*) {}
NvtxRange::~NvtxRange() {}
#endif

}  // namespace sortlab

// The code for GPUs in this binary. It is apart because nvcc takes three times as long as the C++ compiler to read the
// JSON library.
#pragma once

#include <string>

namespace sortlab {

/// A kernel, to ask the CUDA runtime for.
const void* any_kernel();

/// "sm_90, sm_100": the architectures of the compiled code.
std::string architectures_of_binary();

}  // namespace sortlab

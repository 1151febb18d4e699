// The CPU that this process runs on.
#pragma once

#include <string>

namespace sortlab {

/// "AMD EPYC 9354", as the kernel reports it.
const std::string& cpu_model();

}  // namespace sortlab

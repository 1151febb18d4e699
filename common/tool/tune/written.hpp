// Writes the results of `sortlab tune`.
#pragma once

#include <string>

#include "common/choose/tune_file.hpp"

namespace sortlab {

/// Writes a section into the existing file or a new one, and makes its folder. Throws BadInput when
/// it can't, or for a file in another format.
void write_tuning(const std::string& path, const GpuTuning& tuning);
void write_tuning(const std::string& path, const CpuTuning& tuning);

/// Throws the errors of write_tuning(). To be called before measuring.
void require_place_for_tuning(const std::string& path);

}  // namespace sortlab

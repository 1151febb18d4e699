// Where `sortlab tune` writes what it found.
#pragma once

#include <string>

#include "common/choose/tune_file.hpp"

namespace sortlab {

/// Writes a section into the file that is there or a new one, and makes its folder. Throws BadInput
/// when it can't, or for a file that is none of these.
void write_tuning(const std::string& path, const GpuTuning& tuning);
void write_tuning(const std::string& path, const CpuTuning& tuning);

/// Throws what write_tuning() would: to be asked before anything is measured.
void require_place_for_tuning(const std::string& path);

}  // namespace sortlab

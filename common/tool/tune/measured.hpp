// The choices that measurements suggest: those of CSV files, or measured for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/choose/tune_file.hpp"
#include "common/harness/record/summary.hpp"

namespace sortlab {

/// Either is missing where nothing was measured of it.
struct Tunings {
  std::optional<GpuTuning> gpu;
  std::optional<CpuTuning> cpu;
  bool any_failed = false;  // sorts that went wrong have no place among the choices
};

/// What the rows of CSV files suggest, with their run.json beside them; where two hold the same
/// configuration, those of the last. Throws BadInput for files of several machines, or without any
/// row that tells.
Tunings tunings_from(const std::vector<std::string>& files);

enum class Thoroughness : std::uint8_t { full, quick };

/// Measures this GPU, or this CPU; what failed is told on stderr. The samples are kept in a file beside
/// `out`, where the choices go, until all are there. After Ctrl-C nothing is returned, and the next call of
/// the same build goes on with what is kept.
std::optional<Tunings> measure_gpu_tuning(Thoroughness, const std::string& out);
std::optional<Tunings> measure_cpu_tuning(Thoroughness, const std::string& out);

/// From rows of one CPU: for each instruction set that a sort which has code for all of them ran
/// with, and each thread count that such rows have.
CpuChoices cpu_choices_from(const std::vector<SummaryRow>& rows);

}  // namespace sortlab

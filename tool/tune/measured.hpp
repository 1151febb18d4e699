// The choices that measurements suggest, from CSV files or from new measurements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/choose/tune_file.hpp"
#include "common/harness/record/summary.hpp"

namespace sortlab {

/// Each one is empty if it was not measured.
struct Tunings {
  std::optional<GpuTuning> gpu;
  std::optional<CpuTuning> cpu;
  bool any_failed = false;  // sorts with faults are not chosen
};

/// The choices that the rows of CSV files suggest, which need their run.json beside them. If two
/// files have the same configuration, the last one counts. Throws BadInput for files of several
/// machines, or without any usable row.
Tunings tunings_from(const std::vector<std::string>& files);

enum class Thoroughness : std::uint8_t { full, quick };

/// Measures this GPU, or this CPU, and reports failures on stderr. A file beside `out`, the file
/// for the choices, keeps the samples until all are complete. After Ctrl-C it returns nothing, and
/// the next call of the same build resumes from that file.
std::optional<Tunings> measure_gpu_tuning(Thoroughness, const std::string& out);
std::optional<Tunings> measure_cpu_tuning(Thoroughness, const std::string& out);

/// Choices from rows of one CPU. They cover each instruction set with which a sort that has code
/// for all of them ran, and each thread count of such rows. One thread has choices only if few items were measured, too;
/// those for more threads begin where they are faster than one.
CpuChoices cpu_choices_from(const std::vector<SummaryRow>& rows);

}  // namespace sortlab

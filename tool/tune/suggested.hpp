// Computes the choices that measurements suggest: thresholds in n from a summary. And writes the results of `sortlab
// tune`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/choose/choices.hpp"
#include "common/choose/tune_file.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/summary.hpp"

namespace sortlab {

/// A step to another sort needs a gain above this share, because medians of two runs differ by as
/// much (results/h200/compare).
inline constexpr double kWorthASwitch = 0.02;

/// Measurements that begin with more items say nothing of fewer.
inline constexpr std::size_t kFewItems = 64;

/// The choices among the sorts `ids` that measurements suggest: uniform ascending u32 and u64 on
/// the device, launched on a stream; for each kind of types that was measured. Between two measured
/// sizes, at most a factor of 16 apart, times are interpolated on log scales; so is the n from which
/// another sort is faster.
Choices choices_from(const std::vector<SummaryRow>& rows, const std::vector<std::string_view>& ids);

/// The same for many threads: the first step begins at the n from which on they are faster than one thread, as `alone`
/// has it, but not below the smallest that was measured. Kinds of types that `alone` lacks begin at 0.
Choices choices_from(const std::vector<SummaryRow>& rows, const std::vector<std::string_view>& ids,
                     const std::vector<SummaryRow>& alone);

/// Writes a section into the existing file or a new one, and makes its folder. Throws BadInput when
/// it can't, or for a file in another format.
template <class Tuning>
void write_tuning(const std::string& path, const Tuning& tuning) {
  make_folder_of(path);
  write_file(path, text_with(tuning, path));
}

/// Throws the errors of write_tuning(). To be called before measuring.
void require_place_for_tuning(const std::string& path);

}  // namespace sortlab

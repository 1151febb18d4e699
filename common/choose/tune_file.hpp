// The file that `sortlab tune` writes and the variants that choose read.
//
//   {"sortlab_tune": 1,
//    "gpu": {"device": "NVIDIA H200", "sms": 132, ...,
//            "choices": [{"key_bytes": 4, "value_bytes": 0, "stable": false,
//                         "from": [{"n": 0, "id": "gpu/quick/sample"}, ...]}, ...]},
//    "cpu": {"cpu": "AMD EPYC 9354", "threads": 32, ...,
//            "choices": [{"isa": "avx512", "threads": 1, "key_bytes": 4, ...}, ...]}}
//
// Writing one section leaves the rest of a file as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/choose/choices.hpp"
#include "common/contract/isa.hpp"

namespace sortlab {

/// What was found on one GPU, and how.
struct GpuTuning {
  std::string device;
  int sms = 0;
  std::string cuda_driver;
  std::string cuda_runtime;
  std::string revision;  // of the program that measured
  std::string measured_utc;
  std::vector<std::string> results;  // the CSV files it was read from; none: measured for this
  Choices choices;

  bool operator==(const GpuTuning&) const = default;
};

/// What choices on a CPU rest on, beside n and the types.
struct CpuSetting {
  Isa isa = Isa::scalar;
  int threads = 1;

  auto operator<=>(const CpuSetting&) const = default;
  /// "avx512, 16 threads"
  std::string text() const;
};
using CpuChoices = std::map<CpuSetting, Choices>;

/// What was found on one CPU, and how.
struct CpuTuning {
  std::string cpu;
  int threads = 0;  // that it has
  std::string revision;
  std::string measured_utc;
  std::vector<std::string> results;
  CpuChoices choices;

  bool operator==(const CpuTuning&) const = default;
};

/// Nothing when the text has no section for a GPU. Throws BadInput, which names `path`, for a text
/// that is no such file.
std::optional<GpuTuning> parse_gpu_tuning(std::string_view text, const std::string& path);
/// The same for the CPU.
std::optional<CpuTuning> parse_cpu_tuning(std::string_view text, const std::string& path);

/// The text of the file `path`, if it is there, with this section in place of its own. Throws BadInput for
/// a file that is none of these.
std::string text_with(const GpuTuning& tuning, const std::string& path);
std::string text_with(const CpuTuning& tuning, const std::string& path);
/// Throws what text_with() would.
void require_tune_file(const std::string& path);

/// Below $XDG_CONFIG_HOME or ~/.config. Throws BadInput when neither variable is set.
std::string default_tune_path();

/// The file to go by: $SORTLAB_TUNE, or default_tune_path() if there is one; "" for none, as when
/// SORTLAB_TUNE is empty.
std::string tune_path_in_use();

/// A section of the file to go by. Throws BadInput.
std::optional<GpuTuning> gpu_tuning_in_use();
std::optional<CpuTuning> cpu_tuning_in_use();

}  // namespace sortlab

// The file that `sortlab tune` writes and the variants that choose read.
//
//   {"sortlab_tune": 1,
//    "gpu": {"device": "NVIDIA H200", "sms": 132, ...,
//            "choices": [{"key_bytes": 4, "value_bytes": 0, "stable": false,
//                         "from": [{"n": 0, "id": "gpu/quick/sample"}, ...]}, ...]},
//    "cpu": {"cpu": "AMD EPYC 9354", "threads": 32, ...,
//            "choices": [{"isa": "avx512", "threads": 1, "key_bytes": 4, ...}, ...]}}
//
// Writing one section leaves the rest of a file as it is, and of the CPU's section the choices of the same CPU for
// settings and types that were not measured now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/choose/choices.hpp"
#include "common/contract/isa.hpp"

namespace sortlab {

/// The choices found on one GPU, and how they were measured.
struct GpuTuning {
  std::string device;
  int sms = 0;
  std::string cuda_driver;
  std::string cuda_runtime;
  std::string revision;  // of the program that measured
  std::string measured_utc;
  std::vector<std::string> results;  // the CSV files it was read from, if any
  Choices choices;

  bool operator==(const GpuTuning&) const = default;
};

/// The settings that choices on a CPU depend on, beside n and the types.
struct CpuSetting {
  Isa isa = Isa::scalar;
  int threads = 1;

  auto operator<=>(const CpuSetting&) const = default;
  /// "avx512, 16 threads"
  std::string text() const;
};
using CpuChoices = std::map<CpuSetting, Choices>;

/// The choices found on one CPU, and how they were measured.
struct CpuTuning {
  std::string cpu;
  int threads = 0;  // that it has
  std::string revision;
  std::string measured_utc;
  std::vector<std::string> results;
  CpuChoices choices;

  bool operator==(const CpuTuning&) const = default;
};

/// Empty when the text has no section for a GPU. Throws BadInput, which names `path`, for text in
/// another format.
std::optional<GpuTuning> parse_gpu_tuning(std::string_view text, const std::string& path);
/// The same for the CPU.
std::optional<CpuTuning> parse_cpu_tuning(std::string_view text, const std::string& path);

/// The text of the file `path`, if it is there, with this section in place of its own. Throws
/// BadInput for a file in another format.
std::string text_with(const GpuTuning& tuning, const std::string& path);
std::string text_with(const CpuTuning& tuning, const std::string& path);
/// Throws the errors of text_with().
void require_tune_file(const std::string& path);

/// A file of sortlab for this user: in the folder that the variable `folder` names, or else in one below the home folder.
/// "" when neither is known.
std::string user_file(const char* folder, const char* below_home, const std::string& name);

/// Below $XDG_CONFIG_HOME or ~/.config. Throws BadInput when neither variable is set.
std::string default_tune_path();

/// The tune file in use: $SORTLAB_TUNE, or default_tune_path() if that file exists and may be read; "" for
/// none, or when SORTLAB_TUNE is empty.
std::string tune_path_in_use();

/// A section of the tune file in use. Throws BadInput.
std::optional<GpuTuning> gpu_tuning_in_use();
std::optional<CpuTuning> cpu_tuning_in_use();

}  // namespace sortlab

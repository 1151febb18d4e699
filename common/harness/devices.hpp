// The GPUs of a sort over several of them, as users write them and as the CSV has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

/// CUDA's numbers of the GPUs, one for each part. A number may come more than once: several parts on one GPU.
using Devices = std::vector<int>;

inline constexpr int kMostDeviceParts = 64;

/// "2": the GPUs 0 and 1. "0,2" or "0+2": these two. Throws BadInput.
Devices parse_devices(std::string_view text);

/// "2" for the GPUs 0 and 1, else "0+2": a list without a comma. "" for none.
std::string devices_text(const Devices& devices);

}  // namespace sortlab

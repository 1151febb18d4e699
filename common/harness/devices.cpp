#include "common/harness/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"

namespace sortlab {
namespace {

Devices first_devices(std::size_t count) {
  Devices devices(count);
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

}  // namespace

Devices parse_devices(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (std::string_view rest = text;;) {
    const auto end = rest.find_first_of(",+");
    numbers.push_back(parse_whole(rest.substr(0, end)).value_or(UINT64_MAX));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const bool is_count = numbers.size() == 1;
  const std::uint64_t most = is_count ? kMostDeviceParts : kMostDeviceParts - 1;
  const bool fit = *std::max_element(numbers.begin(), numbers.end()) <= most;
  if (!fit || numbers.size() > kMostDeviceParts || (is_count && numbers.front() == 0)) {
    throw BadInput(
        fmt::format("--devices {}: a count of GPUs from 1 to {}, or their numbers, as in 0,2", text,
                    kMostDeviceParts));
  }
  return is_count ? first_devices(numbers.front()) : Devices(numbers.begin(), numbers.end());
}

std::string devices_text(const Devices& devices) {
  if (devices.empty()) return "";
  if (devices == first_devices(devices.size())) return std::to_string(devices.size());
  return fmt::format("{}", fmt::join(devices, "+"));
}

}  // namespace sortlab

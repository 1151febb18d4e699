#include "common/harness/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"

namespace sortlab {
namespace {

constexpr std::uint64_t kMostCpus = 4096;
constexpr std::uint64_t kMostPercent = 1000;
constexpr std::uint64_t kMostMs = 60'000;

std::optional<int> whole_up_to(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto value = parse_whole(text);
  if (!value || *value < least || *value > most) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<int> cpus_of(std::string_view text, int cpus) {
  if (!text.ends_with('%')) return whole_up_to(text, 0, kMostCpus);
  text.remove_suffix(1);
  const auto percent = whole_up_to(text, 0, kMostPercent);
  if (!percent) return std::nullopt;
  return *percent == 0 ? 0 : std::max(1, static_cast<int>(std::lround(*percent / 100.0 * cpus)));
}

}  // namespace

Load parse_load(std::string_view text, int cpus) {
  const BadInput malformed(fmt::format(
      "'{}' is no load: expected CPUs that other programs take, as a count up to {} or as a share "
      "of "
      "the CPUs up to {}%, and for programs that pause :ON/OFF in ms up to {}: 8, 25%, 50%:50/50",
      text, kMostCpus, kMostPercent, kMostMs));
  const auto colon = text.find(':');
  const auto taken = cpus_of(text.substr(0, colon), cpus);
  if (!taken) throw malformed;
  Load load{.cpus = *taken};
  if (colon != std::string_view::npos) {
    const std::string_view times = text.substr(colon + 1);
    const auto slash = times.find('/');
    if (slash == std::string_view::npos) throw malformed;
    const auto on = whole_up_to(times.substr(0, slash), 1, kMostMs);
    const auto off = whole_up_to(times.substr(slash + 1), 1, kMostMs);
    if (!on || !off) throw malformed;
    load.on_ms = *on;
    load.off_ms = *off;
  }
  return load.cpus == 0 ? Load{} : load;
}

std::string text_of(const Load& load) {
  return load.off_ms == 0 ? fmt::format("{}", load.cpus)
                          : fmt::format("{}:{}/{}", load.cpus, load.on_ms, load.off_ms);
}

}  // namespace sortlab

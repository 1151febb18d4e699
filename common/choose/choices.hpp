// From which n on to take which sort, for each kind of types. `sortlab tune` finds these choices,
// and the variants that choose use them.
//
//     keys of 4 bytes      0: gpu/quick/sample   1024: gpu/radix/small   1048576: ...
//     with 4-byte values   0: ...
#pragma once

#include <cmath>
#include <compare>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

/// A choice depends on these, on n and on the device. A variant that sizes its workspace knows only
/// the widths of the types, and keys of one width take the same time within 3 %.
struct Widths {
  std::size_t key_bytes = 4;
  std::size_t value_bytes = 0;  // 0: keys alone
  bool stable = false;          // items of equal keys keep their order; never asked of keys alone

  auto operator<=>(const Widths&) const = default;
  /// "8-byte keys with 4-byte values, stable"
  std::string text() const;
};

/// From this n on, the sort `id`.
struct Step {
  std::size_t from_n = 0;
  std::string id;

  bool operator==(const Step&) const = default;
};
/// In order of from_n. The first begins at 0, or for many CPU threads at the n that is worth
/// starting them.
using Steps = std::vector<Step>;
using Choices = std::map<Widths, Steps>;

/// An n that was measured on a device, for one that is `factor` times as large.
inline std::size_t scaled(std::size_t n, double factor) {
  return static_cast<std::size_t>(std::llround(static_cast<double>(n) * factor));
}
/// The same choices for such a device.
Choices scaled(const Choices& choices, double factor);

/// The step for n on such a device. If `is_fit(step)` is false for it: the nearest earlier step that is fit, else the
/// nearest later one; null when none is. `steps` is an array of any steps with a from_n.
template <class AnySteps, class IsFit>
auto choose(const AnySteps& steps, std::size_t n, IsFit is_fit, double factor = 1)
    -> decltype(std::data(steps)) {
  const auto* const begin = std::data(steps);
  const auto* const end = begin + std::size(steps);
  const auto* after = begin;
  while (after != end && scaled(after->from_n, factor) <= n) ++after;
  for (const auto* step = after; step != begin; --step) {
    if (is_fit(step[-1])) return step - 1;
  }
  for (const auto* step = after; step != end; ++step) {
    if (is_fit(*step)) return step;
  }
  return nullptr;
}

/// The choices as text: one line per kind of types and step.
std::string readable_choices(const Choices& choices);

}  // namespace sortlab

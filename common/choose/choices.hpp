// From which n on to take which sort, for each kind of types. `sortlab tune` finds these choices,
// and the variants that choose use them.
//
//     keys of 4 bytes      0: gpu/quick/sample   1024: gpu/radix/small   1048576: ...
//     with 4-byte values   0: ...
#pragma once

#include <compare>
#include <cstddef>
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

/// The sort that `steps` name for n. If `is_fit(id)` is false for it: the nearest earlier step that
/// is fit, else the nearest later one; "" when none is.
template <class IsFit>
std::string_view choose(const Steps& steps, std::size_t n, IsFit is_fit) {
  std::size_t after = 0;
  while (after < steps.size() && steps[after].from_n <= n) ++after;
  for (std::size_t i = after; i > 0; --i) {
    if (is_fit(steps[i - 1].id)) return steps[i - 1].id;
  }
  for (std::size_t i = after; i < steps.size(); ++i) {
    if (is_fit(steps[i].id)) return steps[i].id;
  }
  return "";
}

/// The same choices with every from_n times `factor`: for a device of another size.
Choices scaled(const Choices& choices, double factor);

/// The choices as text: one line per kind of types and step.
std::string readable_choices(const Choices& choices);

}  // namespace sortlab

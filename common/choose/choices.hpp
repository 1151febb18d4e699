// From which n on to take which sort, by the types: what `sortlab tune` finds, and what the
// variants that choose go by.
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

/// What a choice rests on, beside n and the device. A variant that sizes its workspace is told no
/// more of the types than their widths, and keys of one width take the same time within 3 %.
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
/// By from_n, the first from 0; on many CPU threads from where they are worth their start.
using Steps = std::vector<Step>;
using Choices = std::map<Widths, Steps>;

/// The sort that `steps` name for n. Where it is not fit, as `is_fit(id)` says, the nearest fit one
/// of the steps before, else of those after; "" when none is.
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

/// What is chosen, a line for each kind of types and step.
std::string readable_choices(const Choices& choices);

}  // namespace sortlab

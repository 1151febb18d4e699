// Floats that compare as equal although their bits differ: -0 and +0, and NaNs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sortlab::python {

/// A half-precision float.
struct Half {
  std::uint16_t bits;
};

inline bool is_nan(Half key) { return (key.bits & 0x7FFF) > 0x7C00; }
inline bool is_zero(Half key) { return (key.bits & 0x7FFF) == 0; }
inline bool is_negative(Half key) { return (key.bits & 0x8000) != 0; }
template <class Float>
bool is_nan(Float key) {
  return std::isnan(key);
}
template <class Float>
bool is_zero(Float key) {
  return key == 0;
}
template <class Float>
bool is_negative(Float key) {
  return std::signbit(key);
}

/// The zeros and the NaNs among keys, in input order. The library sorts them by their bits; a
/// stable sort restores this order.
template <class Float>
class EqualFloats {
 public:
  EqualFloats(const Float* keys, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (is_zero(keys[i])) zeros_.push_back(keys[i]);
      if (is_nan(keys[i])) nans_.push_back(keys[i]);
    }
  }

  /// The place of the same keys after sorting, NaNs last.
  void put_back(Float* keys, std::size_t n, bool descending) const {
    Float* const numbers_end = keys + n - nans_.size();
    std::copy(nans_.begin(), nans_.end(), numbers_end);
    Float* const zeros = std::partition_point(keys, numbers_end, [&](Float key) {
      return !is_zero(key) && is_negative(key) != descending;
    });
    std::copy(zeros_.begin(), zeros_.end(), zeros);
  }

 private:
  std::vector<Float> zeros_, nans_;
};

/// Whether a key is -0 or NaN. Without such keys, equal keys have equal bits.
template <class Float>
bool has_minus_zero_or_nan(const Float* keys, std::size_t n) {
  bool found = false;  // no early end, so that the loop becomes vectors
  for (std::size_t i = 0; i < n; ++i) {
    found |= is_nan(keys[i]) || (is_zero(keys[i]) && is_negative(keys[i]));
  }
  return found;
}

}  // namespace sortlab::python

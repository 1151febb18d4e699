// Floats that compare as equal although their bits differ: -0 and +0, and NaNs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sortlab::python {

/// The zeros and the NaNs among keys, in input order. The library sorts them by their bits; a
/// stable sort restores this order.
template <class Float>
class EqualFloats {
 public:
  EqualFloats(const Float* keys, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[i] == 0) zeros_.push_back(keys[i]);
      if (std::isnan(keys[i])) nans_.push_back(keys[i]);
    }
  }

  /// The place of the same keys after sorting, NaNs last.
  void put_back(Float* keys, std::size_t n, bool descending) const {
    Float* const numbers_end = keys + n - nans_.size();
    std::copy(nans_.begin(), nans_.end(), numbers_end);
    Float* const zeros = std::partition_point(
        keys, numbers_end, [&](Float key) { return descending ? key > 0 : key < 0; });
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
    found |= std::isnan(keys[i]) || (keys[i] == 0 && std::signbit(keys[i]));
  }
  return found;
}

}  // namespace sortlab::python

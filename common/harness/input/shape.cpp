#include "common/harness/input/distributions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace sortlab {
namespace {

/// The keys of the fullest of 256 equal parts of the range of `sorted`, which is not empty.
template <class Bits>
std::size_t fullest_part(const std::vector<Bits>& sorted) {
  const Bits width = static_cast<Bits>((sorted.back() - sorted.front()) / 256 + 1);
  std::array<std::size_t, 256> parts{};
  for (const Bits bits : sorted) ++parts[(bits - sorted.front()) / width];
  return *std::max_element(parts.begin(), parts.end());
}

}  // namespace

template <class Key>
Shape shape_of(std::span<const Key> keys) {
  using Bits = BitsOf<Key>;
  Shape shape;
  std::vector<Bits> sorted;
  Bits varying = 0;
  for (const Key key : keys) {
    const Bits bits = to_ordered_bits(key);
    if (sorted.empty() || bits < sorted.back()) ++shape.runs;
    sorted.push_back(bits);
    varying |= bits ^ sorted.front();
  }
  shape.constant_bits = static_cast<int>(8 * sizeof(Key)) - std::popcount(varying);
  if (sorted.empty()) return shape;

  std::sort(sorted.begin(), sorted.end());
  shape.fullest_part = fullest_part(sorted);
  for (auto group = sorted.begin(); group != sorted.end(); ++shape.distinct) {
    const auto end = std::find_if(group, sorted.end(), [&](Bits bits) { return bits != *group; });
    shape.most_frequent = std::max(shape.most_frequent, static_cast<std::size_t>(end - group));
    group = end;
  }
  return shape;
}

#define SORTLAB_SHAPE(type, Key, other_names) template Shape shape_of(std::span<const Key>);
SORTLAB_KEY_TYPES(SORTLAB_SHAPE)

}  // namespace sortlab

// sortlab::cuda sorts keys of uneven shapes, which its sorts find out about on the device: all equal, in order, of few
// digits, crowded; floats with some far from all others. Each from one array to another, where the input must stay as
// it is, with values and with indices.
#include <cmath>
#include <functional>
#include <limits>

#include "tests/gpu/library/inputs.cuh"

namespace sortlab::cuda {
namespace {

using Bits = std::uint64_t;
constexpr Bits kMiddle = 0x8000'0007'8000'0007;
struct Shape {
  const char* name;
  std::function<Bits(std::size_t place, Bits random)> bits;
};
const Shape kShapes[] = {
    {"one value", [](std::size_t, Bits) { return Bits{12345}; }},
    {"in order", [](std::size_t place, Bits) { return Bits{place}; }},
    {"one digit", [](std::size_t, Bits random) { return random & 0xff00; }},
    {"three digits", [](std::size_t, Bits random) { return random & 0xffffff; }},
    {"one heavy value", [](std::size_t, Bits random) { return random % 10 == 0 ? random : 7; }},
    {"a common value",
     [](std::size_t, Bits random) { return random % 50 == 0 ? random : kMiddle; }},
    {"a common value and three digits",
     [](std::size_t, Bits random) { return random % 50 == 0 ? random & 0xffffff : 0x800007; }},
    {"crowds", [](std::size_t, Bits random) { return random >> (random & 31) >> (random & 31); }},
    {"even", [](std::size_t, Bits random) { return random; }},
};
/// One for each of the sorts that are chosen among.
const std::size_t kSizes[] = {1000, 60'001, 700'001, 1'500'007, 5'000'011, 10'000'019};

template <class Key>
std::vector<Key> keys_of(const Shape& shape, std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Bits bits = shape.bits(i, random());
    std::memcpy(&keys[i], &bits, sizeof(Key));
  }
  return keys;
}

/// In the order of `nans_last`: NaNs with a sign are the last.
template <class Key>
std::vector<Key> with_nans_last(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end(), [](Key a, Key b) { return rank_of(a) < rank_of(b); });
  if constexpr (std::is_floating_point_v<Key>) {
    std::stable_partition(keys.begin(), keys.end(), [](Key key) { return !std::isnan(key); });
    const auto nans =
        std::find_if(keys.begin(), keys.end(), [](Key key) { return std::isnan(key); });
    std::stable_partition(nans, keys.end(), [](Key key) { return !std::signbit(key); });
  }
  return keys;
}

/// The first place whose item belongs before the one in front of it; the size where there is none.
template <class Key, class Index, class Rank>
std::size_t first_out_of_order(const std::vector<Key>& keys, const std::vector<Index>& order,
                               Rank rank) {
  std::size_t i = 1;
  const auto place = [&](std::size_t at) {
    const auto item = static_cast<std::size_t>(order[at]);
    return std::pair{rank(keys[item]), item};
  };
  while (i < keys.size() && place(i - 1) < place(i)) ++i;
  return i;
}

constexpr Options kNansLast{.floats = sortlab::Floats::nans_last};

template <class Key>
void expect_keys(const std::vector<Key>& keys, const OnDevice<Key>& in,
                 const std::vector<Key>& expected) {
  const std::size_t n = keys.size();
  const OnDevice<Key> out(std::vector<Key>(n, Key{}));
  in_two_calls([&](void* d_temp, std::size_t& bytes) {
    return sort_keys(d_temp, bytes, in.get(), out.get(), n, nullptr, kNansLast);
  });
  expect_same(out.on_host(), expected, "sort_keys");
  expect_same(in.on_host(), keys, "the input of sort_keys");
}

template <class Key>
void expect_pairs(const std::vector<Key>& keys, const OnDevice<Key>& in,
                  const std::vector<Key>& expected) {
  const std::size_t n = keys.size();
  const OnDevice<Key> out(std::vector<Key>(n, Key{}));
  const OnDevice<std::uint32_t> places(numbered_values<std::uint32_t>(n));
  const OnDevice<std::uint32_t> moved(std::vector<std::uint32_t>(n, 77));
  in_two_calls([&](void* d_temp, std::size_t& bytes) {
    return sort_pairs(d_temp, bytes, in.get(), out.get(), places.get(), moved.get(), n, nullptr,
                      kNansLast);
  });
  expect_same(out.on_host(), expected, "keys of sort_pairs");
  expect_same(in_order(keys, moved.on_host()), expected, "keys by the values of sort_pairs");
  expect_same(in.on_host(), keys, "the keys that sort_pairs was given");
}

/// The order of `argsort` with NaNs last, where these are equal, and zeros.
template <class Key>
std::uint64_t rank_with_equals(Key key) {
  if constexpr (std::is_floating_point_v<Key>) {
    if (std::isnan(key)) return ~std::uint64_t{0};
    if (key == 0) return rank_of(Key{0});
  }
  return rank_of(key);
}

template <class Key>
void expect_indices(const std::vector<Key>& keys, const OnDevice<Key>& in) {
  const std::size_t n = keys.size();
  const auto expect = [&](const Options& options, auto rank) {
    const OnDevice<std::int64_t> indices(std::vector<std::int64_t>(n, 77));
    ASSERT_EQ(argsort(in.get(), indices.get(), n, nullptr, options), cudaSuccess);
    synchronize();
    EXPECT_EQ(first_out_of_order(keys, indices.on_host(), rank), n) << "argsort";
    expect_same(in.on_host(), keys, "the input of argsort");
  };
  expect({}, rank_of<Key>);
  if constexpr (std::is_floating_point_v<Key>) expect(kNansLast, rank_with_equals<Key>);
}

template <class Key>
class Shapes : public testing::Test {};
using EachKey = testing::Types<std::uint32_t, long long, float, double>;
TYPED_TEST_SUITE(Shapes, EachKey);

TYPED_TEST(Shapes, AreSortedFromOneArrayToAnother) {
  SKIP_WITHOUT_GPU();
  for (const Shape& shape : kShapes) {
    for (const std::size_t n : kSizes) {
      SCOPED_TRACE(std::string(shape.name) + ", n = " + std::to_string(n));
      const auto keys = keys_of<TypeParam>(shape, n);
      const auto expected = with_nans_last(keys);
      const OnDevice<TypeParam> in(keys);
      expect_keys(keys, in, expected);
      expect_pairs(keys, in, expected);
      expect_indices(keys, in);
    }
  }
}

/// Floats of [0, 1) as a rule, made of an even random number there.
struct FloatShape {
  const char* name;
  std::function<double(std::size_t place, double unit)> number;
};
/// A place that no sample looks at, as a rule.
constexpr std::size_t kHidden = 1'234'567;
FloatShape one_is(const char* name, double odd) {
  return {name, [odd](std::size_t place, double unit) { return place == kHidden ? odd : unit; }};
}
const FloatShape kFloatShapes[] = {
    one_is("even", 0.5),
    one_is("one far above", 1e30),
    one_is("one below zero", -1e-3),
    one_is("one close to zero", 1e-30),
    one_is("one not a number", std::numeric_limits<double>::quiet_NaN()),
    {"of either sign", [](std::size_t, double unit) { return (unit - 0.5) * unit; }},
    {"with zeros", [](std::size_t place, double unit) { return place % 3 == 0 ? -0.0 : unit; }},
    {"with some zeros and some not numbers",
     [](std::size_t place, double unit) {
       const double odd = place % 16 < 8 ? 0 : std::numeric_limits<double>::quiet_NaN();
       return place % 5000 < 16 ? (place % 2 == 0 ? odd : -odd) : unit;
     }},
    {"few values", [](std::size_t, double unit) { return std::floor(unit * 1000); }},
};

template <class Key>
class FloatShapes : public testing::Test {};
using EachFloat = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatShapes, EachFloat);

TYPED_TEST(FloatShapes, AreSortedFromOneArrayToAnother) {
  SKIP_WITHOUT_GPU();
  // Many enough that they are spread: keys alone, and pairs.
  for (const std::size_t n : {3'000'017, 9'000'011}) {
    for (const FloatShape& shape : kFloatShapes) {
      SCOPED_TRACE(std::string(shape.name) + ", n = " + std::to_string(n));
      std::mt19937_64 random(n);
      std::vector<TypeParam> keys(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
        keys[i] = static_cast<TypeParam>(shape.number(i, unit));
      }
      const auto expected = with_nans_last(keys);
      const OnDevice<TypeParam> in(keys);
      expect_keys(keys, in, expected);
      if (n > 9'000'000) {
        expect_pairs(keys, in, expected);
        expect_indices(keys, in);
      }
    }
  }
}

}  // namespace
}  // namespace sortlab::cuda

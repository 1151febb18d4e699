// Keys as unsigned numbers in the order of a sort: what the library's kernels do in registers, for the few keys
// and the keys of records that the headers handle themselves.
#pragma once

#include <sortlab/detail/keys.hpp>
#include <sortlab/options.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sortlab::detail {

/// Which floats are one number: none, or -0 and +0, and with Floats::nans_last all NaNs.
enum class Equal : std::uint8_t { by_bits, by_value };

/// The map between keys of type K and numbers, for the order that the options name. In total order, floats are
///
///   -NaN | -inf ... -0 | +0 ... +inf | +NaN
///
/// A shift of all numbers, modulo 2^bits, puts the NaNs of one side behind those of the other. All tests are of
/// bits: with -ffast-math a compiler assumes that there are no NaNs.
template <class K>
class KeyNumbers {
  static constexpr int kType = detail::type_of<K>();
  static constexpr bool kIsFloat = kType >= SORTLAB_TYPE_F32;
  static constexpr bool kIsSigned = !kIsFloat && kType % 2 == 0;

 public:
  using Number = std::conditional_t<
      sizeof(K) == 1, std::uint8_t,
      std::conditional_t<sizeof(K) == 2, std::uint16_t,
                         std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>>>;

  constexpr explicit KeyNumbers(const Options& options, Equal equal = Equal::by_bits)
      : nans_last_(options.floats == Floats::nans_last), equal_(equal) {
    const bool descends = options.order == Order::descending;
    if (nans_last_) shift_ = static_cast<Number>(descends ? kNansOfASign : -kNansOfASign);
    if (descends) flip_ = static_cast<Number>(~Number{0});
  }

  Number number(const K& key) const {
    Number bits;
    std::memcpy(&bits, &key, sizeof bits);
    if constexpr (kIsFloat) {
      const bool is_nan = static_cast<Number>(bits & ~kSign) > kInfinity;
      if (equal_ == Equal::by_value && nans_last_ && is_nan) return static_cast<Number>(~Number{0});
      if (equal_ == Equal::by_value && bits == kSign) bits = 0;
      bits = static_cast<Number>((bits & kSign) != 0 ? ~bits : bits | kSign);
      bits = static_cast<Number>(bits + shift_);
    } else if constexpr (kIsSigned) {
      bits ^= kSign;
    }
    return static_cast<Number>(bits ^ flip_);
  }
  void put(Number number, K& key) const {
    number ^= flip_;
    if constexpr (kIsFloat) {
      number = static_cast<Number>(number - shift_);
      number = static_cast<Number>((number & kSign) != 0 ? number ^ kSign : ~number);
    } else if constexpr (kIsSigned) {
      number ^= kSign;
    }
    std::memcpy(&key, &number, sizeof number);
  }

 private:
  static constexpr Number kSign = static_cast<Number>(Number{1} << (8 * sizeof(K) - 1));
  static constexpr int kFractionBits = sizeof(K) == 2 ? 10 : sizeof(K) == 4 ? 23 : 52;
  static constexpr auto kNansOfASign =
      static_cast<Number>((std::uint64_t{1} << (kIsFloat ? kFractionBits : 0)) - 1);
  static constexpr auto kInfinity = static_cast<Number>(kSign - 1 - kNansOfASign);

  bool nans_last_;
  Equal equal_;
  Number shift_ = 0, flip_ = 0;
};

}  // namespace sortlab::detail

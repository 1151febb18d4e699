// Keys of 1 and 2 bytes as unsigned numbers in the same order. Wide enough sorts take these numbers as
// integers of 4 bytes; counting.hpp counts them.
#pragma once

#include "library/host/calls.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {

/// The map between a key's bits and its number: for integers.
template <class Key>
struct NarrowCode {
  using Bits = BitsOf<Key>;

  Order order;

  Bits number(Bits key) const { return to_ordered_bits(static_cast<Key>(key)); }
  Bits key(Bits number) const { return static_cast<Bits>(from_ordered_bits<Key>(number)); }
  Bits number_of_equals(Bits key) const { return number(key); }
};

/// In total order, half-precision floats are
///
///   -NaN | -inf ... -0 | +0 ... +inf | +NaN      numbers 0, 0x03FF, ..., 0xFC00, 0xFFFF
///
/// A shift of all numbers, modulo 2^16, puts the NaNs of one side behind those of the other.
struct HalfCode {
  using Bits = std::uint16_t;
  static constexpr Bits kSign = 0x8000;
  static constexpr Bits kNansOfASign = 0x03FF;
  static constexpr Bits kInfinity = 0x7C00;

  Order order;
  bool nans_last;

  Bits shift() const {
    if (!nans_last) return 0;
    return static_cast<Bits>(order == Order::ascending ? -kNansOfASign : kNansOfASign);
  }

  Bits number(Bits key) const {
    return static_cast<Bits>(((key & kSign) != 0 ? ~key : key | kSign) + shift());
  }
  Bits key(Bits number) const {
    const auto ordered = static_cast<Bits>(number - shift());
    return static_cast<Bits>((ordered & kSign) != 0 ? ordered ^ kSign : ~ordered);
  }

  /// The same number for all NaNs, if these are last, and for -0 and +0.
  Bits number_of_equals(Bits key) const {
    if (nans_last && (key & ~kSign) > kInfinity) {
      return order == Order::ascending ? static_cast<Bits>(~Bits{0}) : Bits{0};
    }
    return number(nans_last && key == kSign ? Bits{0} : key);
  }
};

/// Calls f with the map of a narrow key type.
template <class F>
void visit_narrow(Keys type, const Settings& settings, F f) {
  switch (type.type) {
    case SORTLAB_TYPE_U8:
      return f(NarrowCode<std::uint8_t>{settings.order});
    case SORTLAB_TYPE_I8:
      return f(NarrowCode<std::int8_t>{settings.order});
    case SORTLAB_TYPE_U16:
      return f(NarrowCode<std::uint16_t>{settings.order});
    case SORTLAB_TYPE_I16:
      return f(NarrowCode<std::int16_t>{settings.order});
    default:
      return f(HalfCode{settings.order, settings.nans_last});
  }
}

/// The numbers of n keys, in 4 bytes each.
inline void widen(Keys type, const Settings& settings, void* to, const void* from, std::size_t n) {
  visit_narrow(type, settings, [&]<class Code>(const Code code) {
    transform(static_cast<std::uint32_t*>(to), static_cast<const typename Code::Bits*>(from), n,
              settings.threads, [code](auto key) { return code.number(key); });
  });
}

/// The same, with one number for keys that are equal.
inline void widen_equals(Keys type, const Settings& settings, void* to, const void* from,
                         std::size_t n) {
  visit_narrow(type, settings, [&]<class Code>(const Code code) {
    transform(static_cast<std::uint32_t*>(to), static_cast<const typename Code::Bits*>(from), n,
              settings.threads, [code](auto key) { return code.number_of_equals(key); });
  });
}

/// The keys of n numbers.
inline void narrow(Keys type, const Settings& settings, void* to, const void* from, std::size_t n) {
  visit_narrow(type, settings, [&]<class Code>(const Code code) {
    using Bits = typename Code::Bits;
    transform(static_cast<Bits*>(to), static_cast<const std::uint32_t*>(from), n, settings.threads,
              [code](auto number) { return code.key(static_cast<Bits>(number)); });
  });
}

}  // namespace sortlab::library

// Keys of 1 and 2 bytes as unsigned numbers in the same order. Wide enough sorts take these numbers as
// integers of 4 bytes; counting.hpp counts them.
#pragma once

#include "library/host/calls.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {

enum class NarrowKind : std::uint8_t { natural, with_sign, half };

/// The map between a key's bits and its number. In total order, half-precision floats are
///
///   -NaN | -inf ... -0 | +0 ... +inf | +NaN      numbers 0, 0x03FF, ..., 0xFC00, 0xFFFF
///
/// A shift of all numbers, modulo 2^16, puts the NaNs of one side behind those of the other.
template <class Unsigned, NarrowKind kKind>
struct NarrowCode {
  using Bits = Unsigned;
  static constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr Bits kNansOfASign = 0x03FF;
  static constexpr Bits kInfinity = 0x7C00;

  Order order;
  bool nans_last;

  Bits shift() const {
    if (!nans_last) return 0;
    return static_cast<Bits>(order == Order::ascending ? -kNansOfASign : kNansOfASign);
  }

  Bits number(Bits key) const {
    if constexpr (kKind == NarrowKind::half) {
      return static_cast<Bits>(((key & kSign) != 0 ? ~key : key | kSign) + shift());
    }
    return kKind == NarrowKind::with_sign ? key ^ kSign : key;
  }
  Bits key(Bits number) const {
    if constexpr (kKind == NarrowKind::half) {
      const auto ordered = static_cast<Bits>(number - shift());
      return static_cast<Bits>((ordered & kSign) != 0 ? ordered ^ kSign : ~ordered);
    }
    return kKind == NarrowKind::with_sign ? number ^ kSign : number;
  }

  /// The same number for all NaNs, if these are last, and for -0 and +0.
  Bits number_of_equals(Bits key) const {
    if constexpr (kKind == NarrowKind::half) {
      if (nans_last && (key & ~kSign) > kInfinity) {
        return order == Order::ascending ? static_cast<Bits>(~Bits{0}) : Bits{0};
      }
      if (nans_last && key == kSign) return number(0);
    }
    return number(key);
  }
};

/// Calls f with the map of a narrow key type.
template <class F>
void visit_narrow(Keys type, const Settings& settings, F f) {
  using Byte = std::uint8_t;
  using Half = std::uint16_t;
  const Order order = settings.order;
  switch (type.type) {
    case SORTLAB_TYPE_U8:
      return f(NarrowCode<Byte, NarrowKind::natural>{order, false});
    case SORTLAB_TYPE_I8:
      return f(NarrowCode<Byte, NarrowKind::with_sign>{order, false});
    case SORTLAB_TYPE_U16:
      return f(NarrowCode<Half, NarrowKind::natural>{order, false});
    case SORTLAB_TYPE_I16:
      return f(NarrowCode<Half, NarrowKind::with_sign>{order, false});
    default:
      return f(NarrowCode<Half, NarrowKind::half>{order, settings.nans_last});
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

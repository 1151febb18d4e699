// Integers of 1 and 2 bytes as integers of 4, in the same order.
#pragma once

#include "library/host/calls.hpp"
#include "library/host/passes.hpp"

namespace sortlab::library {

/// Calls f with a narrow key type and the wide one.
template <class F>
void visit_narrow(Keys type, F f) {
  switch (type.type) {
    case SORTLAB_TYPE_U8:
      return f(std::uint8_t{}, std::uint32_t{});
    case SORTLAB_TYPE_I8:
      return f(std::int8_t{}, std::int32_t{});
    case SORTLAB_TYPE_U16:
      return f(std::uint16_t{}, std::uint32_t{});
    default:
      return f(std::int16_t{}, std::int32_t{});
  }
}

inline void widen(Keys type, void* to, const void* from, std::size_t n, int threads) {
  visit_narrow(type, [&]<class Narrow, class Wide>(Narrow, Wide) {
    convert(static_cast<Wide*>(to), static_cast<const Narrow*>(from), n, threads);
  });
}

inline void narrow(Keys type, void* to, const void* from, std::size_t n, int threads) {
  visit_narrow(type, [&]<class Narrow, class Wide>(Narrow, Wide) {
    convert(static_cast<Narrow*>(to), static_cast<const Wide*>(from), n, threads);
  });
}

}  // namespace sortlab::library

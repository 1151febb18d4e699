// Which C++ types are keys: integers and enumerations of 1 to 8 bytes, float and double, and _Float16 where the
// compiler has it.
#pragma once

#include <sortlab/sortlab.h>
#include <sortlab/order.hpp>

#include <type_traits>

// GCC 13 and Clang know the type _Float16, which std::float16_t is another name of; GCC 12 knows it for x86 alone,
// whatever its macros say. CUDA's compiler does not.
#if defined(__FLT16_MAX__) && !defined(__CUDACC__) && \
    (defined(__clang__) || __GNUC__ >= 13 || defined(__x86_64__))
  #define SORTLAB_HAVE_FLOAT16 1
#endif

namespace sortlab::detail {

/// The number of a key's type in the C interface, by kind and width; 0 for a type that is no key.
template <class T>
consteval int type_of() {
  if constexpr (std::is_enum_v<T>) {
    return type_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    constexpr int kWidth = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return SORTLAB_TYPE_U8 + kWidth + (std::is_signed_v<T> ? 1 : 0);
  } else if constexpr (std::is_same_v<T, float>) {
    return SORTLAB_TYPE_F32;
  } else if constexpr (std::is_same_v<T, double>) {
    return SORTLAB_TYPE_F64;
#if defined(SORTLAB_HAVE_FLOAT16)
  } else if constexpr (std::is_same_v<T, _Float16>) {
    return SORTLAB_TYPE_F16;
#endif
  } else {
    return 0;
  }
}

}  // namespace sortlab::detail

namespace sortlab {

/// A type that is sorted by its bits, without a comparison: an integer of 1, 2, 4 or 8 bytes, an
/// enumeration without an operator< of its own, float, double or _Float16.
template <class T>
concept Key = detail::type_of<std::remove_cv_t<T>>()
!= 0 && !detail::EnumWithItsOwnOrder<std::remove_cv_t<T>>;

}  // namespace sortlab

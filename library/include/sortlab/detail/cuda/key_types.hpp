// Which C++ types the GPU library sorts by their bits, and which comparisons are orders that it knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sortlab/order.hpp>
#include <type_traits>

// `less` and `greater` alone, where the libraries have them in a file: their <functional> takes more than two
// thirds of the time that this library's headers take to compile.
#if __has_include(<bits/stl_function.h>)
  #include <bits/stl_function.h>
#else
  #include <functional>
#endif

// thrust::less and thrust::greater are those of cuda::std.
#if __has_include(<cuda/std/__functional/operations.h>)
  #include <cuda/std/__functional/operations.h>
  #define SORTLAB_HAVE_CUDA_STD 1
#elif __has_include(<cuda/std/functional>)
  #include <cuda/std/functional>
  #define SORTLAB_HAVE_CUDA_STD 1
#endif

// Of cuda_fp16.h and cuda_bf16.h, which only users of these types need.
struct __half;
struct __nv_bfloat16;

namespace sortlab::cuda::detail {

enum class KeyKind : std::uint8_t {
  none,
  unsigned_integer,
  signed_integer,
  floating,        // IEEE-754's of 2, 4 and 8 bytes
  brain_floating,  // bfloat16: the upper half of a float
};
constexpr bool is_floating(KeyKind kind) {
  return kind == KeyKind::floating || kind == KeyKind::brain_floating;
}

/// How a type is sorted by its bits: integers, enumerations and floats, by kind and width.
template <class T>
constexpr KeyKind kind_of() {
  if constexpr (std::is_enum_v<T>) {
    return kind_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    return std::is_signed_v<T> ? KeyKind::signed_integer : KeyKind::unsigned_integer;
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                       std::is_same_v<T, __half>) {
    return KeyKind::floating;
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return KeyKind::brain_floating;
  } else {
    return KeyKind::none;
  }
}

template <class T>
constexpr bool kIsKey = kind_of<T>() != KeyKind::none && !sortlab::detail::EnumWithItsOwnOrder<T>;

/// Whether `Less` is one of the templates of the standard libraries, for T or void. A program may specialize those
/// for its own enumeration T.
template <template <class> class Template, class Less, class T>
constexpr bool kIsOf = (std::is_same_v<Less, Template<T>> && !std::is_enum_v<T>) ||
                       std::is_same_v<Less, Template<void>>;

template <class Less, class T>
constexpr bool is_less() {
#ifdef SORTLAB_HAVE_CUDA_STD
  if (kIsOf<::cuda::std::less, Less, T>) return true;
#endif
  return kIsOf<std::less, Less, T>;
}
template <class Less, class T>
constexpr bool is_greater() {
#ifdef SORTLAB_HAVE_CUDA_STD
  if (kIsOf<::cuda::std::greater, Less, T>) return true;
#endif
  return kIsOf<std::greater, Less, T>;
}

/// Whether T is sorted by its bits when the comparison is `Less`, and in which direction.
template <class Less, class T>
constexpr bool kIsKnownOrder = kIsKey<T> && (is_less<Less, T>() || is_greater<Less, T>());
template <class Less, class T>
constexpr Order kOrderOf = is_greater<Less, T>() ? Order::descending : Order::ascending;

/// Distinguishes a comparison from a stream, which stands at the same place of other overloads.
template <class Less>
concept ComparisonArgument =
    std::is_class_v<Less> || std::is_function_v<std::remove_pointer_t<Less>>;

}  // namespace sortlab::cuda::detail

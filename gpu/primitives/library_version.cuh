// The version of a library as text, made at compile time from the number that its headers define.
#pragma once

#include <array>
#include <string_view>

namespace sortlab::gpu {

/// "3.0.1" of 300001: major * 100000 + minor * 100 + subminor, as CUB and Thrust count.
template <int kVersion>
struct LibraryVersion {
 private:
  static constexpr auto kText = [] {
    std::array<char, 16> text{};
    std::size_t length = 0;
    const auto append = [&](int number) {
      if (length > 0) text[length++] = '.';
      if (number >= 100) text[length++] = static_cast<char>('0' + number / 100);
      if (number >= 10) text[length++] = static_cast<char>('0' + number / 10 % 10);
      text[length++] = static_cast<char>('0' + number % 10);
    };
    append(kVersion / 100000);
    append(kVersion / 100 % 1000);
    append(kVersion % 100);
    return text;
  }();

 public:
  static constexpr std::string_view text{kText.data()};
};

}  // namespace sortlab::gpu

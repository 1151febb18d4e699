// The source file of a variant: from the source tree where it is at hand, else from inside of the program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

struct SourceText {
  std::string
      path;  // below the source tree's root: "cpu/radix/naive.cpp"; "" where there is no text
  std::string text;

  std::size_t lines() const;

  /// The comment that it begins with, a paragraph each, without slashes; line breaks stay in it.
  std::vector<std::string> head() const;
};

/// That of the variant `id`. Empty for a plug-in's sort and for a file that nobody knows.
SourceText source_text(std::string_view id);

}  // namespace sortlab

// The source file of a variant: from the source tree if that exists, else the embedded copy.
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

  /// The paragraphs of the comment that it begins with, without slashes, with their line breaks.
  std::vector<std::string> head() const;
};

/// The source text of the variant `id`. Empty for a plug-in's sort and for an unknown file.
SourceText source_text(std::string_view id);

}  // namespace sortlab

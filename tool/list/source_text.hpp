// The source file of a variant: from the source tree if that exists, else the embedded copy. And what the fixed phrases
// of its top comment say of a rung.
#pragma once

#include <cstddef>
#include <optional>
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

/// What the rung adds to the one before: the sentence of the top comment that begins a line with
/// "Over " or "Against " (but not "Against the sources", which are papers). If it says little, the
/// next sentence is added. Without such a line, the first sentence of the top comment. In one line.
std::string idea_of(const SourceText& source);

/// The memory traffic per key at n: N of "Bytes per u32 key: N" in the top comment, or of "Bytes
/// per u32 key at 2^27: N" if that is n.
std::optional<long> bytes_per_key(const SourceText& source, std::size_t n);

}  // namespace sortlab

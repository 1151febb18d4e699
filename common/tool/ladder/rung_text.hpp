// Reads facts about a rung from the fixed phrases in its file's top comment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/tool/list/source_text.hpp"

namespace sortlab {

/// What the rung adds to the one before: the sentence of the top comment that begins a line with
/// "Over " or "Against " (but not "Against the sources", which are papers). If it says little, the
/// next sentence is added. Without such a line, the first sentence of the top comment. In one line.
std::string idea_of(const SourceText& source);

/// The memory traffic per key at n: N of "Bytes per u32 key: N" in the top comment, or of "Bytes
/// per u32 key at 2^27: N" if that is n.
std::optional<long> bytes_per_key(const SourceText& source, std::size_t n);

}  // namespace sortlab

// What the head of a rung's file tells of it in fixed words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/tool/list/source_text.hpp"

namespace sortlab {

/// What the rung adds to the one before: the head from the line on that begins with "Over " or "Against "
/// (but not "Against the sources", which are papers), to the end of the sentence; of two, where the first
/// says little. Without such a line, the head's first sentence. In one line.
std::string idea_of(const SourceText& source);

/// What a key of n takes of the memory's traffic: N of "Bytes per u32 key: N" in the head, or of "Bytes per
/// u32 key at 2^27: N" if that is n.
std::optional<long> bytes_per_key(const SourceText& source, std::size_t n);

}  // namespace sortlab

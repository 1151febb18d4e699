// How sure a recommendation is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tool/recommend/recommend.hpp"

namespace sortlab {

/// sure: no other is faster, apart from sorts that choose and are equal to the first. tie: the first
/// has equals, and no other is faster. unclear: some others may be faster by more than kEqualWithin.
/// alone: there are no others.
enum class Certainty : std::uint8_t { sure, tie, unclear, alone };
std::string_view name_of(Certainty certainty);

/// How one sort compares with the first in rank, according to the measurements.
enum class Standing : std::uint8_t { slower, no_faster, equal, unclear };

/// Whether a sort calls one of the other sorts: those of this algorithm do.
bool chooses(std::string_view algorithm);

/// Equal: within kEqualWithin of the first, and certainly not faster by more; or near it, if one of
/// the two calls other sorts. Slower: certainly slower. If both were measured in kRoundsToTell rounds
/// or more, it must be slower in each of them; if other programs kept CPUs busy, it must be slower by
/// a margin. No faster: it seems slower, and is certainly not faster by more than kEqualWithin.
Standing standing_of(const RankedSort& first, const RankedSort& other);
inline constexpr double kEqualWithin = 0.05;
inline constexpr std::size_t kRoundsToTell = 3;

/// `ranked` is not empty, the fastest first. A sort that chooses, `*/auto/*`, makes no tie: it calls one of
/// the others.
Certainty certainty_of(const std::vector<RankedSort>& ranked);

/// One sentence for people, with its reasons.
std::string certainty_text(const std::vector<RankedSort>& ranked);

}  // namespace sortlab

// How sure a recommendation is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/tool/recommend/recommend.hpp"

namespace sortlab {

/// sure: the first is faster than all that are not its equals. tie: the first has equals, and is faster than
/// all others. unclear: of some that are not its equals nothing can be told. alone: there are no others.
enum class Certainty : std::uint8_t { sure, tie, unclear, alone };
std::string_view name_of(Certainty certainty);

/// What the measurements say of one sort beside the first in rank.
enum class Standing : std::uint8_t { slower, equal, unclear };

/// Equal: within kEqualWithin of the first, for sure; or near it, and one of the two calls other sorts. Slower: for sure too; where both were measured in
/// kRoundsToTell rounds or more, slower in each of them; and where other programs kept CPUs busy, by a
/// margin.
Standing standing_of(const RankedSort& first, const RankedSort& other);
inline constexpr double kEqualWithin = 0.05;
inline constexpr std::size_t kRoundsToTell = 3;

/// `ranked` is not empty, the fastest first. A sort that chooses, `*/auto/*`, makes no tie: it calls one of
/// the others.
Certainty certainty_of(const std::vector<RankedSort>& ranked);

/// One sentence for people, with its reasons.
std::string certainty_text(const std::vector<RankedSort>& ranked);

}  // namespace sortlab

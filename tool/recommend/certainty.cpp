#include "tool/recommend/certainty.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tool/compare/sample_tests.hpp"

namespace sortlab {
namespace {

constexpr double kBusy = 0.5;  // CPUs that other programs took
// The other must be slower by this share on a busy machine: measured in rounds, or once.
constexpr double kMarginIfBusy = 0.1;
constexpr double kMarginIfBusyOnce = 1;

bool is_chooser(const RankedSort& sort) { return chooses(sort.config.at("algorithm")); }

/// The rounds that both took part in: the last ones are for a few sorts only.
std::size_t common_rounds(const RankedSort& first, const RankedSort& other) {
  return std::min(first.blocks_ns.size(), other.blocks_ns.size());
}

bool in_rounds(const RankedSort& first, const RankedSort& other) {
  return common_rounds(first, other) >= kRoundsToTell;
}

/// In how many rounds the first was faster.
std::size_t rounds_won(const RankedSort& first, const RankedSort& other) {
  std::size_t won = 0;
  for (std::size_t i = 0; i < common_rounds(first, other); ++i) {
    if (median(first.blocks_ns[i]) < median(other.blocks_ns[i])) ++won;
  }
  return won;
}

/// The 95 % interval of the other's time over the first's.
Interval ratio_interval(const RankedSort& first, const RankedSort& other) {
  if (in_rounds(first, other)) return paired_ratio(first.blocks_ns, other.blocks_ns);
  return {other.interval.low / first.interval.high, other.interval.high / first.interval.low};
}

/// By how many per cent the other may be faster than the first at most, by the 95 % interval.
double at_best_faster(const RankedSort& first, const RankedSort& other) {
  return std::max(0.0, 100 * (1 / ratio_interval(first, other).low - 1));
}

double longer(const RankedSort& first, const RankedSort& other) {
  return 100 * (other.time_ns / first.time_ns - 1);
}

/// The first of the others with this standing; null when there is none. If the first was measured
/// in rounds, sorts without rounds have lost in the heat.
const RankedSort* next_of(const std::vector<RankedSort>& ranked, Standing standing) {
  const bool rounds = ranked.front().blocks_ns.size() >= kRoundsToTell;
  const auto found = std::find_if(ranked.begin() + 1, ranked.end(), [&](const RankedSort& other) {
    if (rounds && other.blocks_ns.size() < kRoundsToTell) return false;
    return standing_of(ranked.front(), other) == standing &&
           (standing != Standing::equal || (!is_chooser(ranked.front()) && !is_chooser(other)));
  });
  return found == ranked.end() ? nullptr : &*found;
}

std::string doubt(const RankedSort& first, const RankedSort& other) {
  if (in_rounds(first, other)) {
    if (rounds_won(first, other) == common_rounds(first, other)) {
      return "the machine is busy, or the interval of their ratio is too wide";
    }
    return fmt::format("{} was faster in {} of {} rounds only", first.name(),
                       rounds_won(first, other), common_rounds(first, other));
  }
  return "their 95 % intervals overlap, or the machine was busy";
}

}  // namespace

bool chooses(std::string_view algorithm) { return algorithm == "auto" || algorithm == "library"; }

std::string_view name_of(Certainty certainty) {
  constexpr std::string_view kNames[] = {"sure", "tie", "can't tell", "alone"};
  return kNames[static_cast<int>(certainty)];
}

Standing standing_of(const RankedSort& first, const RankedSort& other) {
  const auto [low, high] = ratio_interval(first, other);
  const bool busy = std::max(first.busy_cpus, other.busy_cpus) >= kBusy;
  if (low >= 1 / (1 + kEqualWithin) && high <= 1 + kEqualWithin) return Standing::equal;
  // It calls the other, or an equally good one: they differ only by noise.
  const double ratio = other.time_ns / first.time_ns;
  if (ratio < 1 + kMarginIfBusy && (is_chooser(first) || is_chooser(other))) return Standing::equal;
  const bool rounds = in_rounds(first, other);
  const double margin = !busy ? 0 : rounds ? kMarginIfBusy : kMarginIfBusyOnce;
  const bool won_all = !rounds || rounds_won(first, other) == common_rounds(first, other);
  if (low > 1 + margin && won_all) return Standing::slower;
  if (busy || low < 1 / (1 + kEqualWithin)) return Standing::unclear;
  return ratio <= 1 + kEqualWithin ? Standing::equal : Standing::no_faster;
}

Certainty certainty_of(const std::vector<RankedSort>& ranked) {
  if (ranked.size() == 1) return Certainty::alone;
  if (next_of(ranked, Standing::unclear) != nullptr) return Certainty::unclear;
  return next_of(ranked, Standing::equal) != nullptr ? Certainty::tie : Certainty::sure;
}

std::string certainty_text(const std::vector<RankedSort>& ranked) {
  const RankedSort& first = ranked.front();
  switch (certainty_of(ranked)) {
    case Certainty::alone:
      return "Nothing else was measured, so there is no runner-up.";
    case Certainty::unclear: {
      const RankedSort& other = *next_of(ranked, Standing::unclear);
      return fmt::format("Can't tell: {} takes {:.1f} % longer, but {}.", other.name(),
                         longer(first, other), doubt(first, other));
    }
    case Certainty::tie: {
      const RankedSort& other = *next_of(ranked, Standing::equal);
      const double faster = at_best_faster(first, other);
      return fmt::format("A tie: {} takes {:.1f} % longer{}, which is too little to matter.",
                         other.name(), longer(first, other),
                         faster > 0 ? fmt::format(", or is at best {:.1f} % faster", faster) : "");
    }
    case Certainty::sure:
      break;
  }
  const RankedSort* const doubtful = next_of(ranked, Standing::no_faster);
  const RankedSort* const other =
      doubtful != nullptr ? doubtful : next_of(ranked, Standing::slower);
  if (other == nullptr)
    return "Sure: no other is faster. Those that take as long are auto, or a sort that auto calls.";
  if (doubtful != nullptr) {
    return fmt::format("Sure: {} takes {:.1f} % longer, and is at best {:.1f} % faster.",
                       other->name(), longer(first, *other), at_best_faster(first, *other));
  }
  const double least = 100 * (ratio_interval(first, *other).low - 1);
  const std::string rounds =
      in_rounds(first, *other)
          ? fmt::format(" and was slower in all {} rounds", common_rounds(first, *other))
          : "; their 95 % intervals lie apart";
  return fmt::format("Sure: {} takes {:.1f} % longer (at least {:.1f} %){}.", other->name(),
                     longer(first, *other), least, rounds);
}

}  // namespace sortlab

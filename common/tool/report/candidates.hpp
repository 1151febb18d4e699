// Which sorts must have been measured before one of them is recommended.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// What competes in one place, by n.
using Entrants = std::map<std::size_t, std::vector<const Point*>>;

/// Whether this is the suite's own choice, cpu/auto/auto or gpu/auto/auto.
bool is_auto(const std::string& variant);

/// Whether this is a sort of other people: a baseline, std::sort or a plug-in's.
bool is_rival(const std::string& variant);

/// The main candidates of a place: the suite's own choice (cpu/auto/auto or gpu/auto/auto), three rivals, one of them on
/// several threads where the fastest sort runs on several, and of
/// each ladder that was measured there a rung that is its best at some n. A ladder that takes more than twice
/// the time of the fastest at the nearest n where it was measured so is no candidate.
class MainCandidates {
 public:
  explicit MainCandidates(const Entrants& entrants);  // which must outlive this

  /// Those that were not measured at this n: "cpu/auto/auto", "1 more rival", "cpu/radix/simd".
  std::vector<std::string> lacking_at(std::size_t n) const;

 private:
  bool stands_with_its_best(const std::string& ladder, std::size_t n) const;
  /// Seen at the nearest n, by ratio, where the ladder stands with its best.
  bool may_win(const std::string& ladder, std::size_t n) const;

  const Entrants& entrants_;
  std::map<std::string, std::set<std::string>> best_;  // the fastest rungs of each ladder
};

}  // namespace sortlab::report

// Which sort to use, from which n on the GPU is worth it, and which sorts must have been measured before one of them is
// recommended.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tool/report/model.hpp"

namespace sortlab::report {

/// The sorts that compete in one place, by n.
using Entrants = std::map<std::size_t, std::vector<const Point*>>;

/// Whether this is the suite's own choice, cpu/auto/auto or gpu/auto/auto.
bool is_auto(const std::string& variant);

/// Whether this is another project's sort: a baseline, std::sort or a plug-in's.
bool is_rival(const std::string& variant);

/// The main candidates of a place:
/// - the suite's own choice (cpu/auto/auto or gpu/auto/auto);
/// - three rivals. One of them is the best at the nearest n with many rivals; one runs on several
///   threads if the fastest sort does;
/// - for each measured ladder, a rung that is its best at some n. A ladder is no candidate if it
///   takes more than twice the time of the fastest at the nearest n at which it was measured with
///   its best rungs.
class MainCandidates {
 public:
  explicit MainCandidates(const Entrants& entrants);  // which must outlive this

  /// Those that were not measured at this n: "cpu/auto/auto", "1 more rival", "cpu/radix/simd".
  std::vector<std::string> lacking_at(std::size_t n) const;

 private:
  /// The best rival at the nearest n where at least half as many rivals were measured as anywhere here.
  std::string expected_rival(std::size_t n) const;
  bool stands_with_its_best(const std::string& ladder, std::size_t n) const;
  /// Judged at the nearest n, by ratio, at which the ladder's best rungs were measured.
  bool may_win(const std::string& ladder, std::size_t n) const;

  const Entrants& entrants_;
  std::map<std::string, std::set<std::string>> best_;  // the fastest rungs of each ladder
};

/// For each machine, place, kind of keys, input and number of host threads: ranges of measured n
/// with one winner each, in order of n. They cover those n at which the main candidates
/// (candidates.hpp) were measured; if there is no such n, there is one range without a winner.
/// Points that were measured only for exhibits do not compete. In Where::copies host sorts compete
/// with GPU sorts that copy.
std::vector<Choice> find_choices(const std::vector<Point>& points);

/// For each machine, kind of keys and input with GPU points: the GPU against the best host sort,
/// without copies (Where::device) and with them (Where::copies).
std::vector<Crossover> find_crossovers(const std::vector<Point>& points);

}  // namespace sortlab::report

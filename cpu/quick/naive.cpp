// Quicksort in textbook form: Lomuto's partition around the last item, then recursion into both
// sides.
//
// First rung of the ladder. It is short, and fast on random keys. On sorted input and on many equal
// keys its time is quadratic and its recursion n deep: see patience().
//
// In place, not stable. About 1.39 n log2 n comparisons on random keys.
// Against the sources: built for any x86-64 CPU, not with -march=native -mavx2.
// Source: Goralija et al., III (recursive, Lomuto partition: Bosnian edition, III.B).
#include <cstddef>
#include <string_view>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

//   lo                                last
//   [ < pivot | >= pivot | not seen | pivot ]
//              ^ store    ^ i                  then the pivot is swapped to `store`
template <class Items, class Less>
std::size_t lomuto_partition(const Items& a, std::size_t lo, std::size_t hi, Less less) {
  const std::size_t last = hi - 1;
  const auto pivot = a.keys[last];
  std::size_t store = lo;
  for (std::size_t i = lo; i < last; ++i) {
    if (less(a.keys[i], pivot)) a.swap(i, store++);
  }
  a.swap(store, last);
  return store;
}

template <class Items, class Less>
void quick_sort(const Items& a, std::size_t lo, std::size_t hi, Less less) {
  if (hi - lo < 2) return;
  const std::size_t pivot = lomuto_partition(a, lo, hi, less);
  quick_sort(a, lo, pivot, less);
  quick_sort(a, pivot + 1, hi, less);
}

struct DistributionLimit {
  std::string_view dist;
  Limit limit;
};

constexpr std::string_view kOneSided =
    "the last item is a bad pivot: quadratic time and deep recursion";
constexpr std::string_view kDuplicates = "equal keys all go to one side: quadratic in their number";

// Comparisons grow as n^2 or n^1.5 here; the bounds keep them below about 10^9. With about 110
// bytes of stack per level, 2^16 sorted keys would fill nearly all of the usual 8 MiB.
constexpr DistributionLimit kLimits[] = {
    {"sorted", {std::size_t{1} << 13, kOneSided}},
    {"reverse", {std::size_t{1} << 13, kOneSided}},
    {"organpipe", {std::size_t{1} << 13, kOneSided}},
    {"killer3", {std::size_t{1} << 13, kOneSided}},
    {"equal", {std::size_t{1} << 13, kDuplicates}},
    {"p5", {std::size_t{1} << 13, kDuplicates}},
    {"file",
     {std::size_t{1} << 14, "unknown keys: sorted ones take quadratic time and deep recursion"}},
    {"sawtooth", {std::size_t{1} << 16, kOneSided}},
    {"timestamps", {std::size_t{1} << 16, kOneSided}},
    {"runs", {std::size_t{1} << 16, kOneSided}},
    {"dups16", {std::size_t{1} << 16, kDuplicates}},
    {"d20", {std::size_t{1} << 16, kDuplicates}},
    {"eightdups", {std::size_t{1} << 16, kDuplicates}},
    {"entropy5", {std::size_t{1} << 16, kDuplicates}},
    {"special", {std::size_t{1} << 16, kDuplicates}},
    {"gradients", {std::size_t{1} << 16, kDuplicates}},
    {"heavy", {std::size_t{1} << 16, kDuplicates}},
    {"experts", {std::size_t{1} << 18, kDuplicates}},
    {"entropy4", {std::size_t{1} << 18, kDuplicates}},
    {"zipf", {std::size_t{1} << 18, kDuplicates}},
    {"entropy3", {std::size_t{1} << 20, kDuplicates}},
    {"rootdups", {std::size_t{1} << 20, kDuplicates}},
    {"nearly", {std::size_t{1} << 20, kOneSided}},
};

struct QuickNaive {
  static constexpr Info info{.summary = "recursive Lomuto partition, last item as pivot",
                             .source = "Goralija et al., III.B",
                             .in_place = true};

  static Limit patience(std::string_view dist) {
    for (const auto& entry : kLimits) {
      if (entry.dist == dist) return entry.limit;
    }
    return {};
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    quick_sort(job.data, 0, job.n, typename Job::Less{});
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(QuickNaive, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

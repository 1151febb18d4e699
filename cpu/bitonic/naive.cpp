// Bitonic sort in textbook form: sort the halves in opposite directions, so that together they are
// bitonic (first ascending, then descending, or the reverse), then merge by compare-and-swap.
//
// First rung of the ladder: n alone determines which places are compared, not the keys. It recurses
// down to single items, so each of the (log2 n)(log2 n + 1) / 2 steps walks the whole array in
// small pieces.
//
// Passes: about (log2 n)^2 / 2, each reading and writing every key once. In place, not stable. Any
// n: a merge compares items at a distance of the greatest power of two below its length, so that
// both remaining parts are bitonic again without any padding.
// Against the sources: any n, without padding; built for any x86-64 CPU, not with -march=native -mavx2.
// Source: Goralija et al., III ("recursive compare-and-swap networks": Bosnian edition,
// III.B).
#include <bit>
#include <cstddef>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

enum class Direction : bool { down, up };

constexpr Direction opposite(Direction d) {
  return d == Direction::up ? Direction::down : Direction::up;
}

template <class Items, class Less>
void compare_and_swap(const Items& a, std::size_t i, std::size_t j, Direction direction) {
  const std::size_t first = direction == Direction::up ? i : j;
  const std::size_t second = direction == Direction::up ? j : i;
  if (Less{}(a.keys[second], a.keys[first])) a.swap(i, j);
}

//   lo            lo + m         lo + n      m: greatest power of two below n
//   | x x x x x x x x | y y y y y |
//     ^-- compared ---- ^                    then each part is merged by itself
template <class Items, class Less>
void bitonic_merge(const Items& a, std::size_t lo, std::size_t n, Direction direction) {
  if (n < 2) return;
  const std::size_t m = std::bit_floor(n - 1);
  for (std::size_t i = lo; i < lo + n - m; ++i) {
    compare_and_swap<Items, Less>(a, i, i + m, direction);
  }
  bitonic_merge<Items, Less>(a, lo, m, direction);
  bitonic_merge<Items, Less>(a, lo + m, n - m, direction);
}

template <class Items, class Less>
void bitonic_sort(const Items& a, std::size_t lo, std::size_t n, Direction direction) {
  if (n < 2) return;
  const std::size_t m = n / 2;
  bitonic_sort<Items, Less>(a, lo, m, opposite(direction));
  bitonic_sort<Items, Less>(a, lo + m, n - m, direction);
  bitonic_merge<Items, Less>(a, lo, n, direction);
}

struct BitonicNaive {
  static constexpr Info info{.summary = "recursive compare-and-swap network",
                             .source = "Goralija et al., III.B",
                             .in_place = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    bitonic_sort<Items<typename Job::Key, typename Job::Value>, typename Job::Less>(
        job.data, 0, job.n, Direction::up);
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(BitonicNaive, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Inputs that are hard for sorts over ranks: which keys a rank holds says where they go.
//
// P is the parameter, the number of blocks: `--dist mirrored:8 --ranks 8`. Rank r of P holds block r of P. So key
// i is a function of (i, n, seed, P), and the same input can be sorted by any number of ranks and threads.
// With `uniform`, `reverse`, `equal` and `staggered:P` of distributions.cpp these are ten.
//
// Sources: the ten inputs of Axtmann, Sanders, "Robust Massively Parallel Sorting", ALENEX 2017. Five of them,
// bucketsorted, ggroup, staggered, deterdups and randdups, are those of Helman, Bader, JaJa, "A Randomized
// Parallel Sorting Algorithm with an Experimental Study", JPDC 1998, section "Sorting benchmarks", whose letters
// are B, g-G, S, DD and RD. bucketsorted was compared with the text of its authors, ggroup and deterdups (n a
// power of two) with a public generator of these inputs.
#include "common/harness/input/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/input/blocks.hpp"

namespace sortlab {
namespace {

using namespace formulas;

constexpr std::string_view kDefaultBlocks = "16";

/// R((s + u) / P), s = floor(P j / m) at place j of a block of m keys: a P-th of each block is for each
/// rank, one after another, so that all ranks send to the same one at the same time.
u64 bucketsorted(const InBlock& at, u64 w) { return at.from_slice(at.piece(at.blocks), w); }

/// R((s + u) / P) in groups of g = floor(sqrt P) blocks: all of a group G send to the same g ranks, first to
/// s = (g G + P/2) mod P, then to the next ones.
u64 ggroup(const InBlock& at, u64 w) {
  const auto g = static_cast<u64>(std::sqrt(static_cast<double>(at.blocks)));
  const u64 first = at.block / g * g + at.blocks / 2;
  return at.from_slice((first + at.piece(g)) % at.blocks, w);
}

/// R((s + u) / 2^k), s = the k bits of the block's number in reverse, 2^(k-1) < P <= 2^k: exchanges between
/// partners of a hypercube meet no balance before the last one.
u64 mirrored(const InBlock& at, u64 w) {
  const int bits = std::bit_width(at.blocks - 1);
  u64 reversed = 0;
  for (int bit = 0; bit < bits; ++bit) reversed = 2 * reversed + (at.block >> bit & 1);
  return InBlock{at.block, at.place, at.size, u64{1} << bits}.from_slice(reversed, w);
}

/// R((P-1-b + u) / P), but the last key of each block b is one of the P smallest: each rank sends nearly all
/// to one other rank, and one key to rank 0.
u64 alltoone(const InBlock& at, u64 w) {
  const u64 slice = at.blocks - 1 - at.block;
  if (at.place + 1 < at.size) return at.from_slice(slice, w);
  return at.from_slice(0, 0) + at.slice_width() / (at.size * at.blocks) * slice;
}

template <auto kFormula, class Key>
void fill_blocks(const Target<Key>& out, u64 seed, std::string_view param) {
  fill(out, [=, n = out.n, blocks = blocks_of(param)](u64 i) {
    return over_range<Key>(kFormula(InBlock::of(i, n, blocks), random_word(seed, 0, i)));
  });
}

template <auto kFormula>
constexpr Fills in_blocks() {
  return for_all_keys([]<class Key>() { return fill_blocks<kFormula, Key>; });
}

/// How often 2 goes into n - 1 - i, up: half of the keys are the same, a quarter, an eighth ...
u64 deterdups(u64 i, u64 n, u64) { return static_cast<u64>(std::bit_width(n - 1 - i)); }

constexpr u64 kRuns = 32;

/// The runs of one block: where they end, as fractions of the block.
std::array<double, kRuns> ends_of_runs(u64 seed, u64 block) {
  std::array<double, kRuns> ends{};
  double sum = 0;
  for (u64 run = 0; run < kRuns; ++run) {
    sum += static_cast<double>(scale_below(random_word(seed, 0, block * kRuns + run), kRuns));
    ends[run] = sum;
  }
  if (sum > 0) {
    for (double& end : ends) end /= sum;
  }
  return ends;
}

/// 32 runs of random lengths in each block, each of one of the numbers 0 .. 31.
template <class Key>
void fill_randdups(const Target<Key>& out, u64 seed, std::string_view param) {
  const u64 blocks = blocks_of(param);
  std::vector<std::array<double, kRuns>> ends;
  for (u64 block = 0; block < blocks; ++block) ends.push_back(ends_of_runs(seed, block));
  fill(out, [&, n = out.n](u64 i) {
    const InBlock at = InBlock::of(i, n, blocks);
    const double place = static_cast<double>(at.place) / static_cast<double>(at.size);
    const auto& own = ends[at.block];
    const auto found = std::upper_bound(own.begin(), own.end(), place) - own.begin();
    const u64 run = std::min(static_cast<u64>(found), kRuns - 1);
    return static_cast<Key>(scale_below(random_word(seed, 1, at.block * kRuns + run), kRuns));
  });
}

constexpr Fills randdups() {
  return for_all_keys([]<class Key>() { return fill_randdups<Key>; });
}

constexpr Row of_blocks(std::string_view name, std::string_view formula, Fills fills) {
  return {{name, formula, kDefaultBlocks, false, {}}, fills, number_of_blocks};
}

constexpr Row kRows[] = {
    of_blocks("bucketsorted", "R((s + u) / P), s = floor(P j / m) at place j of a block of m keys",
              in_blocks<bucketsorted>()),
    of_blocks("ggroup",
              "R((s + u) / P), s one of sqrt P slices that a group of sqrt P blocks shares",
              in_blocks<ggroup>()),
    of_blocks("mirrored", "R((s + u) / 2^k), s = the k bits of the block's number in reverse",
              in_blocks<mirrored>()),
    of_blocks("alltoone", "R((P-1-b + u) / P) in block b, whose last key is one of the P smallest",
              in_blocks<alltoone>()),
    row("deterdups",
        "floor(log2(n-1-i)) + 1, 0 at the end: half of the keys are equal, a quarter ...",
        integers<deterdups>()),
    of_blocks("randdups", "32 runs of random lengths in each block, each of a number below 32",
              randdups()),
};

}  // namespace

std::span<const Row> block_patterns() { return kRows; }

}  // namespace sortlab

namespace sortlab::formulas {

std::string number_of_blocks(std::string_view name, std::string_view param) {
  const auto count = parse_whole(param);
  if (!count || *count < 1 || *count > 4096) {
    throw bad_input("distribution {}: parameter '{}' is no number of blocks from 1 to 4096", name,
                    param);
  }
  return std::to_string(*count);
}

u64 blocks_of(std::string_view param) { return parse_whole(param).value_or(1); }

}  // namespace sortlab::formulas

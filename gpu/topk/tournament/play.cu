// The rounds of gpu/topk/tournament: how they cut rows, in a unit for each width of keys (cmake/variants.cmake).
#include <algorithm>

#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/topk/calls.hpp"
#include "gpu/topk/tournament/finish.cuh"
#include "gpu/topk/tournament/kernels.cuh"
#include "gpu/topk/tournament/short.cuh"

namespace sortlab::gpu::topk {
namespace {

/// An H200's: the workspace must not depend on the GPU.
constexpr std::size_t kSms = 132;

/// More than so many of a long row are sorted by bins and networks, because ranks take longer where keys crowd.
/// measured: 64 rows of 8192 f32, k = 2048, us: as logits 24 (this) vs 54 (ranks), uniform 19 vs 17; H200,
/// h200/attempts/top_k.3.txt.xz
constexpr unsigned kMostToRank = 1024;

/// Keys of the longest row that a cluster holds.
template <class Bits>
constexpr std::size_t kMostOfCluster = 8 * 512 * 128 / sizeof(Bits);

/// A kernel and how it cuts rows.
template <class Bits>
struct Way {
  void (*kernel)(Round<Bits>);
  unsigned slice, crews, block, cluster, few;
  std::size_t crew_bytes;

  template <class Of>
  static Way of() {
    return {&play_round<Bits, Of>, Of::kSlice, Of::kCrews,    Of::kBlock,
            Of::kCluster,          Of::kFew,   Of::kCrewBytes};
  }

  /// The first that fits decides. So few blocks that many SMs would be idle get smaller slices. Where all SMs are busy, small
  /// crews take rows, because the steps of a crew wait for one another. Where many are wanted, all items are counted, not
  /// the best of groups.
  /// measured: 4096 rows of 8192 f32, k = 256, us: 121 with 512 threads, 87 with 256; H200, h200/attempts/top_k.2.txt and
  /// top_k.3.txt.xz. 512 rows of 1024, k = 50: 11.4 with a warp, 9.4 with two; h200/attempts/top_k.4.csv.xz.
  /// One row of 16M, k = 2048, whose last round has 25,000 items: 46 with a cluster, 63 in two rounds; top_k.7.csv.xz
  static Way of(std::size_t rows, std::size_t length, std::size_t k, bool is_sorted,
                bool may_cluster, bool are_kept) {
    constexpr unsigned kMany = sizeof(Bits) == 4 ? 32 : 16;
    if (length <= 256) return k <= 16 ? of<Shape<32, 8, 4>>() : of<Shape<32, 8, 8>>();
    const bool is_last_of_many = (are_kept && k > 512) || k > kMostInRounds;
    if (may_cluster &&
        (tournament::takes_cluster(sizeof(Bits), rows, length, k) ||
         (is_last_of_many && length > 512 * kMany && length <= kMostOfCluster<Bits>))) {
      return of_cluster(rows, length);
    }
    if (rows >= 2 * kSms) {
      const bool are_very_many = rows >= 16 * kSms;
      const bool has_groups = is_sorted && k <= 512;
      if (are_very_many && length <= 32 * kMany && k <= 128) return of<Shape<32, kMany, 8>>();
      if (length <= 1024) return has_groups ? of<Shape<64, 16, 8>>() : of<Shape<64, 16, 16>>();
      if (!are_very_many && length <= 2048 && k <= 64) return of<Shape<256, 8, 4>>();
      if (length <= 64 * kMany && k <= 170) return of<Shape<64, kMany, 8>>();
      if (length <= 128 * kMany && k <= 170) return of<Shape<128, kMany, 4>>();
      if (length <= 2048) return has_groups ? of<Shape<128, 16, 8>>() : of<Shape<128, 16, 16>>();
      if (length <= 256 * kMany && k <= 340) return of<Shape<256, kMany, 4>>();
    }
    if (length <= 1024) return of<Shape<256, 4, 4>>();
    if (length <= 2048) return k <= 64 ? of<Shape<256, 8, 4>>() : of<Shape<256, 8, 8>>();
    if (length <= 4096) return k <= 340 ? of<Shape<256, 16, 4>>() : of<Shape<256, 16, 16>>();
    if (length <= 8192) return k <= 170 ? of<Shape<512, 16, 1>>() : of<Shape<512, 16, 16>>();
    const std::size_t blocks = rows * ceil_div(length, std::size_t{512 * kMany});
    if (k <= 512 && blocks < (length <= 512 * kMany ? kSms / 3 : kSms)) {
      return k <= 170 ? of<Shape<512, 8, 1>>() : of<Shape<512, 8, 4>>();
    }
    return k <= 170 ? of<Shape<512, kMany, 1>>() : of<Shape<512, kMany, 8>>();
  }

  /// Few rows get more blocks; many get clusters that all fit at once.
  /// measured: an H200 has room for 62 clusters of four blocks with 512 threads, and for 66 of two with 1024:
  /// h200/attempts/top_k.6.txt.xz. 64 rows of 32,768 f32, k = 2048, unsorted, us: 19.9 with two, 26.5 with four; top_k.7.csv.xz
  static Way of_cluster(std::size_t rows, std::size_t length) {
    constexpr unsigned kMany = sizeof(Bits) == 4 ? 32 : 16;
    if (rows * ceil_div(length, std::size_t{4096}) <= kSms) {
      if (length <= 4 * 4096) return of<Shape<512, 8, 8, 4>>();
      if (length <= 8 * 4096) return of<Shape<512, 8, 8, 8>>();
    }
    if (length <= 2 * 8192) return of<Shape<512, 16, 16, 2>>();
    if (length <= 4 * 8192) {
      if constexpr (sizeof(Bits) == 4) {
        if (rows > 62) return of<Shape<1024, 16, 16, 2>>();
      }
      return of<Shape<512, 16, 16, 4>>();
    }
    if (length <= 8 * 8192) return of<Shape<512, 16, 16, 8>>();
    return of<Shape<512, kMany, kMany, 8>>();
  }

  unsigned slices(std::size_t length) const {
    return static_cast<unsigned>(ceil_div(length, std::size_t{slice}));
  }
  /// For what a slice keeps.
  std::size_t room(std::size_t k) const { return std::min(k + k / 2 + 32, std::size_t{slice}); }
};

/// The kernel of short rows in any order, and the rows and threads of a block.
template <class Bits>
struct ShortWay {
  void (*kernel)(Round<Bits>);
  unsigned crews, threads;

  template <unsigned kThreads, unsigned kItems, bool kKeysAlone = false>
  static ShortWay of() {
    using Of = ShortShape<Bits, kThreads, kItems>;
    return {&play_short<Bits, Of, kKeysAlone>, Of::kCrews, Of::kCrews * kThreads};
  }
  /// Few rows get many threads; where all SMs are busy, few threads have more items.
  /// measured: us, f32: 4096 uniform rows of 256, k = 50: 7.8 (32 threads) vs 10.7 (128), of 1024, k = 256: 15.2 (64) vs 20.5 (256);
  /// 64 rows of 1024, k = 50: 4.9 (256) vs 5.6 (64); 512 of 256, k = 50: 4.8 (128) vs 5.2 (256); H200,
  /// h200/attempts/top_k.12.txt.xz. Keys alone, 64 rows of 256, logits, k = 50: 4.8 (kKeysAlone) vs 5.1; top_k.15.csv.xz
  static ShortWay of(std::size_t rows, std::size_t length, bool keys_alone) {
    if (length > 4096) return of<512, 16>();
    if (length > 2048) return of<256, 16>();
    if (rows > 4 * kSms) {
      if (length <= 64) return of<32, 2>();
      if (length <= 128) return of<32, 4>();
      if (length <= 256) return of<32, 8>();
      return length <= 1024 ? of<64, 16>() : of<64, 32>();
    }
    if (length <= 256) return keys_alone ? of<128, 2, true>() : of<128, 2>();
    if (length <= 1024) return keys_alone ? of<256, 4, true>() : of<256, 4>();
    return of<256, 8>();
  }
  /// Whether it is faster than a round.
  /// measured: 4096 rows of 2048 f64, k = 1000, us: 72 (this) vs 58 (a round), of 1024: 1.15 times as fast; 64 rows of 4096, k = 50:
  /// 1.6 times; 512 rows of 8192 f32, k = 2048: 17 vs 22, k = 256: 15.0 vs 14.1; H200, h200/attempts/top_k.11.txt.xz, top_k.12.txt.xz
  static bool takes(const Round<Bits>& round) {
    if (round.is_sorted || round.in.places != nullptr) return false;
    constexpr bool kIsWide = sizeof(Bits) == 8;
    const std::size_t length = round.in.length;
    if (length <= (!kIsWide ? 4096 : round.rows <= 4 * kSms ? 2048 : 1024)) return true;
    return length <= 8192 && (round.rows <= kSms || (!kIsWide && round.k > 512));
  }
};

/// The two arrays in which rounds leave items by turns.
template <class Bits>
struct Memory {
  Kept<Bits> kept[2] = {};
  std::size_t bytes;

  Memory(std::byte* d_workspace, std::size_t rows, std::size_t length, std::size_t k) {
    Layout layout(d_workspace);
    for (Kept<Bits>& one : kept) {
      if (k > kMostInRounds) break;
      const auto way = Way<Bits>::of(rows, length, k, true, false, false);
      if (way.slices(length) < 2) break;
      length = way.slices(length) * way.room(k);
      one.bits = layout.take<Bits>(rows * length);
      one.places = layout.take<std::uint32_t>(rows * length);
    }
    bytes = layout.bytes();
  }
};

}  // namespace

template <class Bits>
std::size_t play_bytes(std::size_t rows, std::size_t length, std::size_t k) {
  return Memory<Bits>(nullptr, rows, length, k).bytes;
}

template <class Bits>
void play(Round<Bits> round, std::byte* d_workspace, Stream stream) {
  Launcher start{stream, round.in.places != nullptr};  // behind a kernel of ours
  const auto finish = [&] {
    using Of = Finish<Bits, 1024, kMostSorted<Bits> / 1024>;
    start("finish_rows", finish_rows<Bits, Of>,
          {round.rows, Of::kThreads, sizeof(typename Of::Sort)}, round);
  };
  if (round.k == 1) round.is_sorted = false;
  if (ShortWay<Bits>::takes(round)) {
    const bool keys_alone = round.best.places == nullptr && round.best.wide_places == nullptr &&
                            round.best.keys == nullptr;
    const auto way = ShortWay<Bits>::of(round.rows, round.in.length, keys_alone);
    start("play_short", way.kernel, {ceil_div(round.rows, std::size_t{way.crews}), way.threads},
          round);
    return;
  }
  const bool may_cluster = !round.is_sorted && has_clusters();
  const bool is_held = round.in.length <= kMostOfCluster<Bits>;
  if (round.k > kMostInRounds && (!may_cluster || !is_held)) return finish();
  const Memory<Bits> memory(d_workspace, round.rows, round.in.length, round.k);
  for (unsigned turn = 0;; turn ^= 1) {
    const auto way = Way<Bits>::of(round.rows, round.in.length, round.k, round.is_sorted,
                                   may_cluster, round.in.places != nullptr);
    round.in.slices = way.slices(round.in.length);
    round.room = static_cast<unsigned>(way.room(round.k));
    const std::size_t blocks =
        way.cluster * ceil_div(round.rows * round.in.slices, std::size_t{way.crews});
    if (round.in.slices == 1) {
      if (round.is_sorted && round.k > kMostToRank && round.in.length > 4096) return finish();
      round.kept = {};
      std::size_t shared = way.crew_bytes;
      if (round.is_sorted || round.k <= way.few) {
        shared += std::size_t{way.crews} * round.room * SharedItems<Bits>::kBytes;
      }
      start("play_round", way.kernel, {blocks, way.block, shared, way.cluster}, round);
      return;
    }
    round.kept = memory.kept[turn];
    start("play_round", way.kernel, {blocks, way.block, way.crew_bytes, way.cluster}, round);
    start.early = true;
    const unsigned length = round.in.slices * round.room;
    round.in = {round.kept.bits, round.kept.places, length, length, 1, nullptr};
  }
}

template std::size_t play_bytes<SORTLAB_UNIT_KEY>(std::size_t, std::size_t, std::size_t);
template void play(Round<SORTLAB_UNIT_KEY>, std::byte*, Stream);

}  // namespace sortlab::gpu::topk

// A tournament: threads hold a slice of a row in registers and keep its best k; what is kept of a row's slices plays again,
// until one slice is left, which is sorted.
//
// Over sort: one read of the keys. A bound lets nearly only the best pass. Each thread has the best of its items, or of a
// few groups of them. At least k items are as good as the k-th of these, and with many more groups than k not many more:
//
//   items of a thread    7 9 4 8 | 6 5 9 9 | 3 8 8 7 | ..
//   the best of each     4         5         3         ..     k = 2: the second of these is the bound
//   kept                     4         5       3
//
// The bound is found by counts in bins (gpu/primitives/block/crew.cuh), and so are the ranks of what is left. Where more pass
// than there is room for, as with many equal keys, the items themselves are counted, and of equal ones the places: then
// exactly k are kept. Short rows are a warp's, four to a block; longer ones a block's. More than 2048 of a row are found by a
// block without a limit of registers (tournament/finish.cuh).
//
// Bytes per key: its own, once. Any k up to 2048, and of rows of up to 64 KiB (8-byte keys: 112 KiB) any k. Extra memory: for rows of more than a
// slice (16,384 keys of 4 bytes) 1.5 k items and 32 more, with places, for each slice.
// Gain over sort: 8.1x (64 rows of 131,072 f32, k = 50; results/h200/top_k.summary.csv.xz).
// Source: our own.
#include "common/contract/errors.hpp"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/topk/calls.hpp"
#include "gpu/topk/rounds.cuh"
#include "gpu/topk/tournament/finish.cuh"
#include "gpu/topk/tournament/kernels.cuh"

namespace sortlab {
namespace gpu::topk {
namespace {

/// Of rows that are longer than one slice.
constexpr std::size_t kMostK = 2048;
/// Keys of the longest row: as many rounds as that takes.
constexpr std::size_t kMostKeys = std::size_t{1} << 28;
/// An H200's: the workspace must not depend on the GPU.
constexpr std::size_t kSms = 132;

/// A kernel and how it cuts rows.
template <class Bits>
struct Way {
  void (*kernel)(Round<Bits>);
  unsigned slice, crews, block;
  std::size_t crew_bytes;

  template <class Of>
  static Way of() {
    return {&play_round<Bits, Of>, Of::kSlice, Of::kCrews, Of::kBlock, Of::kCrewBytes};
  }

  /// The first that fits decides. So few blocks that many SMs would be idle get smaller slices. Where all SMs are busy, small
  /// crews take rows, because the steps of a crew wait for one another.
  /// measured: 4096 rows of 8192 f32, k = 256: 121 us with 512 threads; 167,000 cycles with 256; H200
  static Way of(std::size_t rows, std::size_t length, std::size_t k) {
    constexpr unsigned kMany = sizeof(Bits) == 4 ? 32 : 16;
    const bool are_many = rows >= 4 * kSms;
    if (length <= 256 && k <= 128) return of<Shape<32, 8, 4>>();
    if (are_many && length <= 32 * kMany && k <= 128) return of<Shape<32, kMany, 8>>();
    if (are_many && length <= 128 * kMany && k <= 170) return of<Shape<128, kMany, 4>>();
    if (are_many && length <= 256 * kMany && k <= 340) return of<Shape<256, kMany, 4>>();
    if (length <= 4096) return of<Shape<256, 16, 4>>();
    if (length <= 8192) return k <= 170 ? of<Shape<512, 16, 1>>() : of<Shape<512, 16, 8>>();
    const std::size_t blocks = rows * ceil_div(length, std::size_t{512 * kMany});
    if (k <= 512 && blocks < kSms) {
      return k <= 170 ? of<Shape<512, 8, 1>>() : of<Shape<512, 8, 4>>();
    }
    return k <= 170 ? of<Shape<512, kMany, 1>>() : of<Shape<512, kMany, 8>>();
  }

  unsigned slices(std::size_t length) const {
    return static_cast<unsigned>(ceil_div(length, std::size_t{slice}));
  }
};

/// For what a slice keeps.
std::size_t room_for(std::size_t slice, std::size_t k) { return std::min(k + k / 2 + 32, slice); }

/// The two arrays in which rounds leave items by turns.
template <class Bits>
struct Memory {
  Kept<Bits> kept[2] = {};
  std::size_t bytes;

  Memory(std::byte* d_workspace, std::size_t rows, std::size_t length, std::size_t k) {
    Layout layout(d_workspace);
    for (Kept<Bits>& one : kept) {
      if (k > kMostK) break;
      const auto way = Way<Bits>::of(rows, length, k);
      if (way.slices(length) < 2) break;
      length = way.slices(length) * room_for(way.slice, k);
      one.bits = layout.take<Bits>(rows * length);
      one.places = layout.take<std::uint32_t>(rows * length);
    }
    bytes = layout.bytes();
  }
};

/// The last round of many.
template <class Bits, bool kIsSorted>
void finish(const Round<Bits>& round, const Launcher& start) {
  using Of = Finish<Bits, 1024, kMostSorted<Bits> / 1024, kIsSorted>;
  start("finish_rows", finish_rows<Bits, Of>, {round.rows, Of::kThreads, Of::kBytes}, round);
}

}  // namespace

template <class Bits>
std::size_t play_bytes(std::size_t rows, std::size_t length, std::size_t k) {
  return Memory<Bits>(nullptr, rows, length, k).bytes;
}

template <class Bits>
void play(Round<Bits> round, std::byte* d_workspace, Stream stream) {
  Launcher start{stream, round.in.places != nullptr};  // behind a kernel of ours
  if (round.k > kMostK) {
    return round.is_sorted ? finish<Bits, true>(round, start) : finish<Bits, false>(round, start);
  }
  const Memory<Bits> memory(d_workspace, round.rows, round.in.length, round.k);
  for (unsigned turn = 0;; turn ^= 1) {
    const auto way = Way<Bits>::of(round.rows, round.in.length, round.k);
    round.in.slices = way.slices(round.in.length);
    round.room = static_cast<unsigned>(room_for(way.slice, round.k));
    const std::size_t blocks = ceil_div(round.rows * round.in.slices, std::size_t{way.crews});
    if (round.in.slices == 1) {
      round.kept = {};
      const std::size_t shared =
          way.crew_bytes + std::size_t{way.crews} * round.room * SharedItems<Bits>::kBytes;
      start("play_round", way.kernel, {blocks, way.block, shared}, round);
      return;
    }
    round.kept = memory.kept[turn];
    start("play_round", way.kernel, {blocks, way.block, way.crew_bytes}, round);
    start.early = true;
    const unsigned length = round.in.slices * round.room;
    round.in = {round.kept.bits, round.kept.places, length, length, 1, nullptr};
  }
}

template std::size_t play_bytes<std::uint32_t>(std::size_t, std::size_t, std::size_t);
template std::size_t play_bytes<std::uint64_t>(std::size_t, std::size_t, std::size_t);
template void play(Round<std::uint32_t>, std::byte*, Stream);
template void play(Round<std::uint64_t>, std::byte*, Stream);

namespace tournament {
namespace {

template <class Bits>
void find(const Call& call) {
  const auto* const d_keys = static_cast<const Bits*>(call.d_keys);
  const auto length = static_cast<unsigned>(call.rows.length);
  const auto k = static_cast<unsigned>(call.room());
  Round<Bits> round{
      .in = {d_keys, nullptr, call.rows.stride, length, 1, nullptr},
      .kept = {},
      .room = 0,
      .map = rank_map_of<Bits>(call.keys, call.nans_last, call.nans_first, call.are_ranks),
      .ks = call.top.ks,
      .k = k,
      .is_sorted = call.top.is_sorted,
      .rows = call.rows.count,
      .best = {call.are_ranks ? d_keys : nullptr, call.rows.stride, static_cast<Bits*>(call.d_best),
               call.d_places, call.d_wide_places, k}};
  play(round, call.d_workspace, call.stream);
}

}  // namespace

bool can_find(std::size_t key_bytes, std::size_t length, std::size_t k) {
  const std::size_t most = key_bytes == 4 ? kMostSorted<std::uint32_t> : kMostSorted<std::uint64_t>;
  return length <= most || (k <= kMostK && length <= kMostKeys);
}

std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows, std::size_t k) {
  const std::size_t least = std::min(k, rows.length);
  return key_bytes == 4 ? play_bytes<std::uint32_t>(rows.count, rows.length, least)
                        : play_bytes<std::uint64_t>(rows.count, rows.length, least);
}

void find(const Call& call) {
  if (call.rows.count == 0 || call.room() == 0) return;
  bytes_of(call.keys.type) == 4 ? find<std::uint32_t>(call) : find<std::uint64_t>(call);
}

}  // namespace tournament
}  // namespace gpu::topk

namespace {

struct TopKTournament {
  using JobKind = TopK;
  static constexpr Info info{.summary = "slices in registers keep their best k, in rounds",
                             .source = "our own",
                             .after = "gpu/topk/sort",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const TopKRequest& request) {
    const std::size_t key_bytes = request.array.key_bytes, k = request.top.k;
    if (!gpu::topk::tournament::can_find(key_bytes, request.rows.length, k)) return 0;
    return gpu::topk::tournament::workspace_bytes(key_bytes, request.rows, k);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    if (!gpu::topk::tournament::can_find(sizeof(typename Job::Key), job.rows.length, job.room())) {
      throw BadInput(
          "gpu/topk/tournament takes K up to 2048 of rows with more than 16,384 keys (14,336 of 8 "
          "bytes), and rows of up to 2^28 keys");
    }
    gpu::topk::tournament::find(gpu::topk::call_of(job));
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKTournament, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

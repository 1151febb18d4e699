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
// The bound is found by counts in bins (gpu/primitives/block/crew.cuh), and so are the ranks of what is left. Where many
// are wanted, the items themselves are counted, but only those between two ranks of a sample, because a count takes a
// cycle of the SM for each item; a warp halves the range of its items instead. Of equal ones the places are counted, if
// the first are wanted. Then exactly k are kept, and nothing is ranked where any order will do. Short rows are a warp's,
// four to a block; longer ones a block's. Rows of up to 8192 keys whose best are wanted in any order have a kernel of their
// own (tournament/short.cuh). Where many are wanted in any order of rows of up to 512 KiB, a cluster of blocks holds a row,
// whose bins are added up in distributed shared memory: one launch instead of two or four. More than 1024 of a long row are
// sorted by a block in its shared memory (tournament/finish.cuh).
//
// Bytes per key: its own, once. Any k up to 2048; of rows of up to 64 KiB (8-byte keys: 112 KiB) any k, and of those of
// clusters k up to 16,384 (14,336). Extra memory: for rows of more than a slice (16,384 keys of 4 bytes) 1.5 k items and 32
// more, with places, for each slice.
// Gain over sort: 8.1x (64 rows of 131,072 f32, k = 50; results/h200/top_k.summary.csv.xz).
// Source: our own.
#include <algorithm>

#include "common/contract/errors.hpp"
#include "gpu/topk/calls.hpp"
#include "gpu/topk/rounds.cuh"

namespace sortlab {
namespace gpu::topk::tournament {
namespace {

/// Keys of the longest row: as many rounds as that takes.
constexpr std::size_t kMostKeys = std::size_t{1} << 28;

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
      .is_first = call.top.is_first,
      .rows = call.rows.count,
      .best = {call.are_ranks ? d_keys : nullptr, call.rows.stride, static_cast<Bits*>(call.d_best),
               call.d_places, call.d_wide_places, k}};
  play(round, call.d_workspace, call.stream);
}

}  // namespace

bool can_find(std::size_t key_bytes, const Rows& rows, std::size_t k, bool has_clusters) {
  const std::size_t most = key_bytes == 4 ? kMostSorted<std::uint32_t> : kMostSorted<std::uint64_t>;
  return rows.length <= most || (k <= kMostInRounds && rows.length <= kMostKeys) ||
         (has_clusters && takes_cluster(key_bytes, rows.count, rows.length, k));
}

/// measured: us, f32, unsorted, as logits: 8 rows of 32,768, k = 2048: 14 (a cluster) vs 26 (select), k = 1: 7.4 vs 8.5 (rounds);
/// 512 rows, k = 2048: 119 vs 89; H200, h200/attempts/top_k.4.csv.xz.
/// One row of 32,768, k = 1000, uniform: 11.7 vs 14.2 (a grid), as logits: 11.8 vs 11.8; k = 2048, as logits: 13.6 vs 11.7;
/// top_k.9.txt.xz
bool takes_cluster(std::size_t key_bytes, std::size_t rows, std::size_t length, std::size_t k) {
  const std::size_t most = key_bytes == 4 ? kMostSorted<std::uint32_t> : kMostSorted<std::uint64_t>;
  const std::size_t bytes = length * key_bytes, keys = rows * length;
  constexpr std::size_t kShort = std::size_t{1} << 16, kLong = std::size_t{1} << 19;
  if (length <= 8192 || bytes > kLong || k > most) return false;
  if (k == 1) return keys <= kLong && bytes <= 2 * kShort;
  if (rows == 1 && key_bytes == 4) {  // else a grid's
    return k >= 128 && (bytes <= kShort || (bytes <= 2 * kShort && k <= 1024));
  }
  if (keys <= kLong) return k >= 128;
  if (keys <= 4 * kLong) return k >= 256 && (bytes > kShort || k > 1024);
  return bytes <= 2 * kShort && k > (bytes > kShort ? 4096 : 1024);
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

}  // namespace gpu::topk::tournament

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
    if (!gpu::topk::tournament::can_find(key_bytes, request.rows, k, true)) return 0;
    return gpu::topk::tournament::workspace_bytes(key_bytes, request.rows, k);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    if (!gpu::topk::tournament::can_find(sizeof(typename Job::Key), job.rows, job.room(),
                                         gpu::topk::has_clusters())) {
      throw BadInput(
          "gpu/topk/tournament takes K up to 2048 of rows with more than 16,384 keys (14,336 of 8 "
          "bytes) that no cluster takes, and rows of up to 2^28 keys");
    }
    gpu::topk::tournament::find(gpu::topk::call_of(job));
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKTournament, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// A bound from a sample: what is better than it is kept by one read of the keys, a little more than k items, of which the
// last round of the tournament or a sort takes the best.
//
// Over tournament: nothing is found for each slice, so the keys pass at the speed of a copy, and its time hardly grows with
// k. Of a row's n keys, S are looked at:
//
//   S keys, in order    . . . . . | r . . . . . . . .      r: so many more than k S / n that nearly always k items and at most
//   all n keys          ........k.| ..................     1.3 k, of large k, are better than the r-th
//
//   bound_rows   a block, or a cluster, for each row finds the r-th of a sample
//   filter_rows  all blocks read the keys, keep what is better and count what is equal
//   mend_rows    does nothing, as a rule. Rows whose bound was bad get their k-th key, found by counts of digits; and if fewer
//                than k are better than the bound, the first of the equal ones are kept
//
// One row of up to a million keys of 4 bytes needs no sample: a grid holds it in its registers (select/hold.cuh). The grid also
// holds the kept items of a longer row, if they are many.
//
// Bytes per key: its own, once. Any k. Stable. Extra memory: about 3 k items with places for large k, and 64 K of
// 2^28; for k of more than 16,384 also two arrays of 8-byte words of as many items, and the memory of a segment sort.
// Limits: 8-byte keys with k up to 14,336, because more are not sorted in a block.
// Gain over tournament: 2.0x (64 rows of 1M f32, k = 1000, replayed; h200/attempts/top_k.2.txt).
// Source: our own.
#include <cmath>

#include "common/contract/errors.hpp"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/team.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/small/sort.cuh"
#include "gpu/segments/sorts.hpp"
#include "gpu/topk/calls.hpp"
#include "gpu/topk/select/hold.cuh"
#include "gpu/topk/select/kernels.cuh"

namespace sortlab {
namespace gpu::topk {

bool has_clusters() {
  return runs_clusters(
      reinterpret_cast<const void*>(&select::bound_rows<std::uint32_t, ClusterCrew<8, 512>, 2>));
}

namespace select {
namespace {

/// Keys of the longest row.
constexpr std::size_t kMostKeys = std::size_t{1} << 31;
/// A block of 512 threads takes the sample of a row, in which each of them has 2 or 16 keys: 2 where few are wanted of a row
/// that is not long, because each key costs a sector of memory. Where rows are few or very long, a cluster has the sample; of
/// very long ones a larger one, so that less is kept.
enum class Sample { small, middle, large };
constexpr std::size_t kShort = std::size_t{1} << 18, kLong = std::size_t{1} << 22;

constexpr unsigned size_of(Sample sample, std::size_t key_bytes) {
  return sample == Sample::small    ? 512 * 2
         : sample == Sample::middle ? 512 * 16
                                    : 1024 * (128 / static_cast<unsigned>(key_bytes));
}

/// How rows are searched.
struct Plan {
  unsigned rank, room, parts, vectors;
  Sample sample;

  Plan(std::size_t key_bytes, const Rows& rows, std::size_t k) {
    const auto length = static_cast<double>(rows.length);
    const double share = static_cast<double>(k) / length;
    sample = rows.length > kLong                             ? Sample::large
             : rows.length <= kShort && share * 512 * 2 <= 2 ? Sample::small
                                                             : Sample::middle;
    const double size = size_of(sample, key_bytes);
    // The k-th lies before that rank but once in a million times, and so few are kept.
    const double least = std::ceil(share * size + 5 * std::sqrt(share * size) + 3);
    const double most = least * (1 + 1 / 32.) + 6 * std::sqrt(least) + 6;
    rank = static_cast<unsigned>(std::min(least, size));
    room = static_cast<unsigned>(std::min(most / size * length, length));
    // Blocks get the same number of keys, small enough that none is late.
    constexpr std::size_t kBlocks = 4 * 2 * 132;
    const std::size_t tiles = ceil_div(rows.length * key_bytes / 16 + 2, std::size_t{kTileVectors});
    const std::size_t of_part = std::max(tiles * rows.count / kBlocks, std::size_t{1});
    parts = static_cast<unsigned>(ceil_div(tiles, of_part));
    vectors = static_cast<unsigned>(of_part * kTileVectors);
  }
};

/// An H200's SMs: the workspace must not depend on the GPU.
constexpr std::size_t kSms = 132;

/// Which items the registers of the grid hold (hold.cuh).
enum class Held { nothing, row, kept };

/// measured: us, one row, normal f32, unsorted: 2^28, k = 10,000: 283 (held) vs 364, k = 2048: 279 vs 305; 2^24, k = 20,000: 51 vs
/// 108, k = 2048: 44 vs 43 (a cluster); H200, h200/attempts/top_k.14.csv.xz
template <class Bits>
Held held_of(const Rows& rows, std::size_t k, const Plan& plan) {
  constexpr std::size_t kRoom = kSms * kThreads * kHeld, kFew = 512, kMany = std::size_t{1} << 16;
  if (sizeof(Bits) != 4 || rows.count != 1) return Held::nothing;
  if (rows.length <= kRoom) return Held::row;
  const bool is_much = k > kMostSorted<Bits> || (k > kFew && plan.room > kMany);
  return is_much && plan.room <= kRoom ? Held::kept : Held::nothing;
}

template <class Bits>
struct Memory {
  RowState<Bits>* states;
  unsigned *ties, *bins, *counts;
  Kept<Bits> kept;
  std::byte* d_rest;
  std::size_t bytes;

  Memory(std::byte* d_workspace, const Rows& rows, std::size_t k, const Plan& plan) {
    Layout layout(d_workspace);
    const std::size_t room = rows.count * plan.room;
    states = layout.take<RowState<Bits>>(rows.count);
    ties = layout.take<unsigned>(rows.count * plan.parts);
    const Held held = held_of<Bits>(rows, k, plan);
    bins = layout.take<unsigned>(held == Held::nothing ? Mender<Bits>::OfCrew::kBins : kHoldWords);
    counts = layout.take<unsigned>(rows.count);
    kept.bits = layout.take<Bits>(room);
    kept.places = layout.take<std::uint32_t>(room);
    d_rest = layout.take<std::byte>(k <= kMostSorted<Bits>
                                        ? play_bytes<Bits>(rows.count, plan.room, k)
                                        : Sorted(nullptr, rows.count, plan.room).bytes);
    bytes = layout.bytes();
  }

  /// What a sort of the kept items takes: words of a key and its place.
  struct Sorted {
    std::uint64_t *items, *others, *begins, *ends;
    std::byte* d_sort;
    std::size_t bytes;

    Sorted(std::byte* d_workspace, std::size_t rows, std::size_t room) {
      Layout layout(d_workspace);
      items = layout.take<std::uint64_t>(rows * room);
      others = layout.take<std::uint64_t>(rows * room);
      begins = layout.take<std::uint64_t>(rows);
      ends = layout.take<std::uint64_t>(rows);
      const std::size_t of_segments = segments::by_class::workspace_bytes(
          sizeof(std::uint64_t), 0, rows * room, rows, room, false);
      d_sort = layout.take<std::byte>(
          std::max(of_segments, radix::small::Space<std::uint64_t, NoValue>(nullptr, room).bytes));
      bytes = layout.bytes();
    }
  };
};

/// Makes the kept items words of 64 bits, and pads each row with the greatest word to at least `least` words.
__global__ void pair_items(Hunt<std::uint32_t> hunt, unsigned least, std::uint64_t* items,
                           std::uint64_t* begins, std::uint64_t* ends) {
  const auto blocks = static_cast<unsigned>(gridDim.x / hunt.rows);  // of a row
  const std::size_t row = blockIdx.x / blocks;
  const std::size_t begin = row * hunt.room;
  const unsigned count = hunt.counts[row], first = (blockIdx.x % blocks) * blockDim.x + threadIdx.x;
  for (unsigned i = first; i < max(count, least); i += blocks * blockDim.x) {
    const std::size_t at = begin + i;
    items[at] = i < count ? std::uint64_t{hunt.kept.bits[at]} << 32 | hunt.kept.places[at]
                          : ~std::uint64_t{0};
  }
  if (first != 0) return;
  begins[row] = begin;
  ends[row] = begin + count;
}

__global__ void write_best(Hunt<std::uint32_t> hunt, const std::uint64_t* items,
                           Best<std::uint32_t> to) {
  const auto blocks = static_cast<unsigned>(gridDim.x / hunt.rows);
  const std::size_t row = blockIdx.x / blocks;
  const unsigned k = hunt.k_of(row);
  for (unsigned i = (blockIdx.x % blocks) * blockDim.x + threadIdx.x; i < k;
       i += blocks * blockDim.x) {
    const std::uint64_t item = items[row * hunt.room + i];
    to.write(row, i, {static_cast<std::uint32_t>(item >> 32), static_cast<std::uint32_t>(item)},
             hunt.map);
  }
}

/// Sorts the kept items, and writes the best of them. is_held: one row, of which a grid has left little more than k.
void sort_kept(const Hunt<std::uint32_t>& hunt, const Best<std::uint32_t>& to, bool is_held,
               std::byte* d_workspace, Stream stream) {
  constexpr unsigned kBlock = 256;
  const Memory<std::uint32_t>::Sorted sorted(d_workspace, hunt.rows, hunt.room);
  const std::size_t blocks =
      hunt.rows * std::clamp(std::size_t{1024} / hunt.rows, std::size_t{1},
                             ceil_div(std::size_t{hunt.room}, std::size_t{4 * kBlock}));
  const unsigned few = is_held ? std::min(hunt.room, hunt.k + slack_of(hunt.k)) : 0;
  launch("pair_items", pair_items, {blocks, kBlock}, stream, hunt, few, sorted.items, sorted.begins,
         sorted.ends);
  if (is_held) {
    using Words = Items<std::uint64_t, NoValue>;
    const Words items{sorted.items}, others{sorted.others};
    const radix::small::Space<std::uint64_t, NoValue> space(sorted.d_sort, few);
    radix::small::sort<std::uint64_t, NoValue>(
        {.data = items, .exchange = others, .spare = items, .result = items, .n = few, .map = {}},
        space, {items, items, others, {}}, stream);
  } else {
    segments::by_class::sort(
        {.keys = {KeyType::u64, Order::ascending},
         .n = hunt.rows * hunt.room,
         .cut = {.count = hunt.rows, .begins = sorted.begins, .ends = sorted.ends, .is_wide = true},
         .longest = hunt.room,
         .data_keys = sorted.items,
         .alternate_keys = sorted.others,
         .d_workspace = sorted.d_sort,
         .stream = stream});
  }
  launch("write_best", write_best, {blocks, kBlock}, stream, hunt,
         static_cast<const std::uint64_t*>(sorted.items), to);
}

/// Keeps little more than the best k of each row.
template <class Bits>
void keep(const Hunt<Bits>& hunt, Sample sample, Stream stream) {
  const auto bound = [&]<class OfCrew, unsigned kItems>() {
    launch("bound_rows", bound_rows<Bits, OfCrew, kItems>,
           {OfCrew::kBlocks * hunt.rows, OfCrew::kThreads / OfCrew::kBlocks,
            sizeof(typename OfCrew::Shared), OfCrew::kBlocks},
           stream, hunt);
  };
  using Cluster = ClusterCrew<8, 512>;
  switch (sample) {
    case Sample::small:
      bound.template operator()<Crew<512>, 2>();
      break;
    case Sample::middle:
      hunt.rows <= kSms / 4 && has_clusters() ? bound.template operator()<Cluster, 2>()
                                              : bound.template operator()<Crew<512>, 16>();
      break;
    case Sample::large:
      has_clusters() ? bound.template operator()<Cluster, 32 / sizeof(Bits)>()
                     : bound.template operator()<Crew<1024>, 128 / sizeof(Bits)>();
      break;
  }
  launch_early("filter_rows", filter_rows<Bits>,
               {hunt.rows * hunt.parts, kThreads, Collector<Bits>::kBytes}, stream, hunt);
  launch_team("mend_rows", TeamKind::grid, mend_rows<Bits>,
              {device_attribute(cudaDevAttrMultiProcessorCount), kThreads, Mender<Bits>::kBytes},
              stream, hunt);
}

template <class Bits>
void find(const Call& call) {
  const Plan plan(sizeof(Bits), call.rows, call.room());
  const Memory<Bits> memory(call.d_workspace, call.rows, call.room(), plan);
  const auto* const d_keys = static_cast<const Bits*>(call.d_keys);
  Hunt<Bits> hunt{
      .keys = d_keys,
      .stride = call.rows.stride,
      .length = static_cast<unsigned>(call.rows.length),
      .rows = call.rows.count,
      .map = rank_map_of<Bits>(call.keys, call.nans_last, call.nans_first, call.are_ranks),
      .ks = call.top.ks,
      .k = static_cast<unsigned>(call.room()),
      .rank = plan.rank,
      .parts = plan.parts,
      .vectors = plan.vectors,
      .states = memory.states,
      .ties = memory.ties,
      .bins = memory.bins,
      .kept = memory.kept,
      .room = plan.room,
      .counts = memory.counts};
  const Best<Bits> to{call.are_ranks ? d_keys : nullptr,
                      call.rows.stride,
                      static_cast<Bits*>(call.d_best),
                      call.d_places,
                      call.d_wide_places,
                      hunt.k};
  const std::size_t processors = device_attribute(cudaDevAttrMultiProcessorCount);
  Held held = held_of<Bits>(call.rows, hunt.k, plan);
  const std::size_t most = held == Held::row ? call.rows.length : plan.room;
  if (most > processors * kThreads * kHeld) held = Held::nothing;  // of a smaller GPU
  // Of so few that are to be sorted, play's rounds leave fewer.
  if (held == Held::kept && call.top.is_sorted && hunt.k <= kMostInRounds) held = Held::nothing;
  if (held != Held::row) keep(hunt, plan.sample, call.stream);
  if constexpr (sizeof(Bits) == 4) {
    if (held != Held::nothing) {
      const auto kernel = [&]<bool kAreKept>() {
        return call.top.is_sorted ? hold_row<kAreKept, true> : hold_row<kAreKept, false>;
      };
      launch_team("hold_row", TeamKind::grid,
                  held == Held::kept ? kernel.template operator()<true>()
                                     : kernel.template operator()<false>(),
                  {std::min(ceil_div(most, std::size_t{kThreads}), processors), kThreads,
                   sizeof(HoldCrew::Shared)},
                  call.stream, hunt, to);
      if (!call.top.is_sorted) return;
    }
  }
  if (hunt.k <= kMostSorted<Bits>) {
    play<Bits>({.in = {hunt.kept.bits, hunt.kept.places, hunt.room, hunt.room, 1, hunt.counts},
                .kept = {},
                .room = 0,
                .map = hunt.map,
                .ks = hunt.ks,
                .k = hunt.k,
                .is_sorted = call.top.is_sorted,
                .is_first = call.top.is_first,
                .rows = hunt.rows,
                .best = to},
               memory.d_rest, call.stream);
  } else if constexpr (sizeof(Bits) == 4) {
    sort_kept(hunt, to, held != Held::nothing, memory.d_rest, call.stream);
  }
}

}  // namespace

bool can_find(std::size_t key_bytes, std::size_t length, std::size_t k) {
  if (length < size_of(Sample::middle, key_bytes) || length > kMostKeys) return false;
  return key_bytes == 4 || k <= kMostSorted<std::uint64_t>;
}

std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows, std::size_t k) {
  const std::size_t least = std::min(k, rows.length);
  const Plan plan(key_bytes, rows, least);
  return key_bytes == 4 ? Memory<std::uint32_t>(nullptr, rows, least, plan).bytes
                        : Memory<std::uint64_t>(nullptr, rows, least, plan).bytes;
}

void find(const Call& call) {
  if (call.rows.count == 0 || call.room() == 0) return;
  bytes_of(call.keys.type) == 4 ? find<std::uint32_t>(call) : find<std::uint64_t>(call);
}

}  // namespace select
}  // namespace gpu::topk

namespace {

struct TopKSelect {
  using JobKind = TopK;
  static constexpr Info info{.summary = "one read keeps what beats a bound from a sample",
                             .source = "our own",
                             .after = "gpu/topk/tournament",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const TopKRequest& request) {
    const std::size_t key_bytes = request.array.key_bytes;
    const std::size_t k = std::min(request.top.k, request.rows.length);
    if (!gpu::topk::select::can_find(key_bytes, request.rows.length, k)) return 0;
    return gpu::topk::select::workspace_bytes(key_bytes, request.rows, k);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    if (!gpu::topk::select::can_find(sizeof(typename Job::Key), job.rows.length, job.room())) {
      throw BadInput(
          "gpu/topk/select takes rows of 8192 to 2^31 keys, and of 8-byte keys K up to 14,336");
    }
    gpu::topk::select::find(gpu::topk::call_of(job));
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKSelect, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

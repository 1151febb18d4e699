// The last round for many sorted items: a block finds the best k of a row, which may be more than its registers hold.
//
//   items of the row, in memory   . . x . x . . . x .      read once for each count of bins (gpu/primitives/block/crew.cuh)
//   up to the k-th's bits         x x x                    and of those that equal it, the first places
//
// The block has these in its shared memory and sorts them by bins and networks, in which items that crowd are spread again
// (gpu/radix/small/block.cuh): few values, of many equal ones, or far outliers.
// measured: 64 rows of 131,072 f32, k = 10,000, sorted, us: normal 67 (this) vs 101 (ranks by bins), 100 values 92 vs 364; H200,
// h200/attempts/top_k.3.txt.xz
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/crew.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/topk/rounds.cuh"

namespace sortlab::gpu::topk {

template <class Bits, unsigned kThreadsV, unsigned kItemsV>
struct Finish {
  static constexpr unsigned kThreads = kThreadsV, kItems = kItemsV;
  static constexpr unsigned kMost = kThreads * kItems;  // that are sorted
  using OfCrew = Crew<kThreads>;
  using Sort = gpu::radix::small::BlockSortShared<Bits, std::uint32_t, kThreads, kMost>;
  static_assert(sizeof(typename OfCrew::Shared) <= sizeof(Sort::bins));
};

/// The items of a row, of which a thread has each kThreads-th one.
template <class Bits, unsigned kThreads>
class LongRow {
 public:
  __device__ LongRow(const Round<Bits>& round, std::size_t row)
      : keys_(round.in.keys + row * round.in.stride),
        places_(round.in.places == nullptr ? nullptr : round.in.places + row * round.in.stride),
        count_(round.in.count(row)),
        map_(round.map) {}

  __device__ unsigned count() const { return count_; }
  __device__ std::uint32_t place(unsigned i) const { return places_ == nullptr ? i : places_[i]; }

  /// Calls use(bits, i) for this thread's items. All threads come to it equally often, with i of `count` or more behind the
  /// last one.
  template <class Use>
  __device__ __forceinline__ void for_each(Use use) const {
    constexpr unsigned kAtOnce = 8;
    for (unsigned first = threadIdx.x; first - threadIdx.x < count_; first += kAtOnce * kThreads) {
      Bits some[kAtOnce];
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) {
        const unsigned i = first + j * kThreads;
        some[j] = i < count_ ? keys_[i] : Bits{0};
      }
      if (places_ == nullptr) map_.order(some);
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) use(some[j], first + j * kThreads);
    }
  }

 private:
  const Bits* keys_;
  const std::uint32_t* places_;
  unsigned count_;
  const RankMap<Bits>& map_;
};

/// Which items are taken: those of fewer bits, and of equal ones those up to a place.
template <class Bits>
struct Limit {
  Bits bits;
  std::uint32_t place;

  template <class Row>
  __device__ bool has(Bits one, const Row& row, unsigned i) const {
    return one < bits || (one == bits && (place == ~0u || row.place(i) <= place));
  }
};

/// A limit that at least k items are within, and at most k + slack. The row has k or more.
template <class Bits, unsigned kThreads>
__device__ __forceinline__ Limit<Bits> limit_of(const LongRow<Bits, kThreads>& row, unsigned k,
                                                unsigned slack, Crew<kThreads>& crew) {
  auto low = static_cast<Bits>(~Bits{0});
  Bits high = 0;
  row.for_each([&](Bits one, unsigned i) {
    if (i >= row.count()) return;
    low = min(low, one);
    high = max(high, one);
  });
  crew.extend(low, high);
  Bound<Bits> bound{low, 0, row.count()};
  if (low != high) {
    bound = bound_between<Bits>(
        low, high, k, slack, crew,
        [&](const auto& cut) {
          row.for_each([&](Bits one, unsigned i) {
            if (i < row.count() && cut.has(one)) crew.count(cut.bin(one));
          });
        },
        [] {});
  }
  if (bound.before + bound.inside <= k + slack) return {bound.word, ~0u};
  // Then the bound is exactly the k-th, which many equal.
  const auto place = least_bound<std::uint32_t>(k - bound.before, 0, crew, [&](auto use) {
    row.for_each([&](Bits one, unsigned i) {
      if (i < row.count() && one == bound.word) use(row.place(i));
    });
  });
  return {bound.word, place};
}

/// A block for each row.
template <class Bits, class Of>
__global__ void __launch_bounds__(Of::kThreads, 1) finish_rows(Round<Bits> round) {
  await_previous_kernel();
  constexpr unsigned kThreads = Of::kThreads;
  __shared__ unsigned s_done;
  const std::size_t row_number = blockIdx.x;
  const LongRow<Bits, kThreads> row(round, row_number);
  const unsigned k = min(round.k_of(row_number), row.count());
  if (k == 0) return;
  auto& s = *reinterpret_cast<typename Of::Sort*>(dynamic_shared());
  // The bins' memory, which the sort takes later.
  typename Of::OfCrew crew(*reinterpret_cast<typename Of::OfCrew::Shared*>(s.bins));
  if (threadIdx.x == 0) s_done = 0;
  __syncthreads();
  // Of rows that a grid has held, no more are left: they are not counted again.
  const unsigned slack = min(slack_of(k), Of::kMost - k);
  const Limit<Bits> limit = row.count() <= k + slack ? Limit<Bits>{static_cast<Bits>(~Bits{0}), ~0u}
                                                     : limit_of(row, k, slack, crew);
  row.for_each([&](Bits one, unsigned i) {
    const bool is_one = i < row.count() && limit.has(one, row, i);
    const unsigned lanes = __ballot_sync(kAllLanes, is_one);
    unsigned at = 0;
    if (lane_id() == 0 && lanes != 0) {
      at = atomicAdd(&s_done, static_cast<unsigned>(__popc(lanes)));
    }
    at = __shfl_sync(kAllLanes, at, 0) + __popc(lanes_below(lanes));
    if (!is_one) return;
    s.keys[at] = one;
    s.places[at] = row.place(i);
  });
  __syncthreads();
  const unsigned done = s_done;
  Bits bits[Of::kItems];
  std::uint32_t places[Of::kItems];
#pragma unroll
  for (unsigned i = 0; i < Of::kItems; ++i) {
    const unsigned p = i * kThreads + threadIdx.x;
    bits[i] = p < done ? s.keys[p] : Bits{0};
    places[i] = p < done ? s.places[p] : 0;
  }
  gpu::radix::small::block_sort<Of::kItems>([&](unsigned i) { return bits[i]; }, done,
                                            [&](unsigned i) { return places[i]; }, s);
  for (unsigned p = threadIdx.x; p < k; p += kThreads) {
    const auto item = s.items()[p];
    round.best.write(row_number, p, {item.key, item.value}, round.map);
  }
}

}  // namespace sortlab::gpu::topk

// The kernels of gpu/topk/select: a bound for each row from a sample, what is better than it, and what a bad sample and equal
// keys leave to do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/crew.cuh"
#include "gpu/primitives/grid/barrier.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/primitives/rank_map.hpp"
#include "gpu/topk/rounds.cuh"

namespace sortlab::gpu::topk::select {

constexpr unsigned kThreads = 512;
constexpr unsigned kLoads = 4;  // vectors of a thread in flight
constexpr unsigned kTileVectors = kLoads * kThreads;
constexpr unsigned kBuffer = 2048;  // items that a block collects before it writes them

template <class Bits>
struct alignas(16) Vector {
  static constexpr unsigned kKeys = 16 / sizeof(Bits);
  Bits keys[kKeys];
};

template <class Bits>
struct RowState {
  Bits bound;
  unsigned better;  // than the bound; more than there is room for: the bound is bad
  unsigned ties;    // equal to it
};

/// Rows, cut in parts of whole vectors, and what is known of them.
template <class Bits>
struct Hunt {
  const Bits* keys;
  std::size_t stride;
  unsigned length;
  std::size_t rows;
  RankMap<Bits> map;
  const std::uint32_t* ks;
  unsigned k;
  unsigned rank;     // in the sample, from 1, of the bound
  unsigned parts;    // of a row
  unsigned vectors;  // of a part
  RowState<Bits>* states;
  unsigned* ties;  // of each part
  unsigned* bins;  // of the row that is mended
  Kept<Bits> kept;
  unsigned room;     // for what is kept of a row
  unsigned* counts;  // of that

  __device__ unsigned k_of(std::size_t row) const { return ks == nullptr ? k : min(ks[row], k); }
};

/// A row as vectors. The first and the last may have keys of others, or none.
template <class Bits>
class RowVectors {
 public:
  static constexpr unsigned kKeys = Vector<Bits>::kKeys;

  __device__ RowVectors(const Hunt<Bits>& hunt, std::size_t row)
      : length_(hunt.length),
        skew_(static_cast<unsigned>(reinterpret_cast<std::size_t>(hunt.keys + row * hunt.stride) /
                                    sizeof(Bits) % kKeys)),
        begin_(hunt.keys + row * hunt.stride - skew_) {}

  __device__ unsigned count() const { return (length_ + skew_ + kKeys - 1) / kKeys; }
  __device__ unsigned place(unsigned vector, unsigned i) const {
    return vector * kKeys + i - skew_;
  }
  __device__ bool has(unsigned place) const { return place < length_; }
  /// The first place in a vector and those behind it.
  __device__ std::size_t begin_of(unsigned vector) const {
    const std::size_t keys = std::size_t{vector} * kKeys;
    return keys <= skew_ ? 0 : min(keys - skew_, std::size_t{length_});
  }

  __device__ __forceinline__ Vector<Bits> load(unsigned vector) const {
    const std::size_t first = std::size_t{vector} * kKeys;
    if (first >= skew_ && first + kKeys <= std::size_t{length_} + skew_) {
      return *reinterpret_cast<const Vector<Bits>*>(begin_ + first);
    }
    Vector<Bits> some{};
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
      if (has(place(vector, i))) some.keys[i] = begin_[first + i];
    }
    return some;
  }

 private:
  unsigned length_, skew_;
  const Bits* begin_;
};

/// Appends items to those kept of a row, in any order, by way of a buffer of the block.
template <class Bits>
class Collector {
 public:
  static constexpr std::size_t kBytes =
      kBuffer * (sizeof(Bits) + sizeof(std::uint32_t)) + 2 * sizeof(unsigned);

  __device__ Collector(const Hunt<Bits>& hunt, std::size_t row, std::byte* s_begin)
      : s_bits_(reinterpret_cast<Bits*>(s_begin)),
        s_places_(reinterpret_cast<std::uint32_t*>(s_bits_ + kBuffer)),
        s_count_(reinterpret_cast<unsigned*>(s_places_ + kBuffer)),
        better_(&hunt.states[row].better),
        bits_(hunt.kept.bits + row * hunt.room),
        places_(hunt.kept.places + row * hunt.room),
        room_(hunt.room) {
    if (threadIdx.x == 0) *s_count_ = 0;
    __syncthreads();
  }

  /// All lanes of a warp call it.
  __device__ __forceinline__ void append(bool is_one, Bits bits, std::uint32_t place) {
    const unsigned lanes = __ballot_sync(kAllLanes, is_one);
    if (lanes == 0) return;
    const unsigned slot = take(s_count_, lanes);
    if (is_one && slot < kBuffer) {
      s_bits_[slot] = bits;
      s_places_[slot] = place;
    }
    const unsigned others = __ballot_sync(kAllLanes, is_one && slot >= kBuffer);
    if (others == 0) return;
    const unsigned at = take(better_, others);
    if (is_one && slot >= kBuffer) put(at, bits, place);
  }

  /// All threads of the block call it.
  __device__ void flush_when_half_full() {
    if (__syncthreads_or(*s_count_ >= kBuffer / 2) != 0) write();
  }
  __device__ void flush() {
    __syncthreads();
    write();
  }

 private:
  static __device__ unsigned take(unsigned* counter, unsigned lanes) {
    const unsigned first = __ffs(static_cast<int>(lanes)) - 1;
    unsigned begin = 0;
    if (lane_id() == first) begin = atomicAdd(counter, static_cast<unsigned>(__popc(lanes)));
    return __shfl_sync(kAllLanes, begin, static_cast<int>(first)) + __popc(lanes_below(lanes));
  }
  __device__ void put(unsigned at, Bits bits, std::uint32_t place) {
    if (at >= room_) return;
    bits_[at] = bits;
    places_[at] = place;
  }
  __device__ void write() {
    const unsigned count = min(*s_count_, kBuffer);
    if (threadIdx.x == 0) s_count_[1] = count == 0 ? 0 : atomicAdd(better_, count);
    __syncthreads();
    const unsigned first = s_count_[1];
    for (unsigned i = threadIdx.x; i < count; i += kThreads) {
      put(first + i, s_bits_[i], s_places_[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) *s_count_ = 0;
    __syncthreads();
  }

  Bits* s_bits_;
  std::uint32_t* s_places_;
  unsigned* s_count_;
  unsigned* better_;
  Bits* bits_;
  std::uint32_t* places_;
  unsigned room_;
};

/// Places that lie anyhow, so that no pattern of the keys is theirs.
__device__ inline unsigned scattered(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  i = (i ^ i >> 15) * 0x846ca68bu;
  return i ^ i >> 16;
}

/// A block or a cluster for each row: a key from each of kSampled stretches of the row. The one of a given rank is the bound.
template <class Bits, class OfCrew, unsigned kItems>
__global__ void __launch_bounds__(OfCrew::kThreads / OfCrew::kBlocks) bound_rows(Hunt<Bits> hunt) {
  constexpr unsigned kSampled = OfCrew::kThreads * kItems;
  const std::size_t row = blockIdx.x / OfCrew::kBlocks;
  OfCrew crew(*reinterpret_cast<typename OfCrew::Shared*>(dynamic_shared()));
  const Bits* const keys = hunt.keys + row * hunt.stride;
  const unsigned stretch = max(hunt.length / kSampled, 1u);
  Bits sample[kItems];
#pragma unroll
  for (unsigned j = 0; j < kItems; ++j) {
    const unsigned i = j * OfCrew::kThreads + OfCrew::thread();
    const auto begin = static_cast<unsigned>(std::uint64_t{i} * hunt.length / kSampled);
    const unsigned offset =
        __umulhi(scattered(i + static_cast<unsigned>(row) * 0x9e3779b9u), stretch);
    sample[j] = keys[begin + offset];
  }
  crew.start();
  hunt.map.order(sample);
  const Bits bound = least_bound<Bits>(hunt.rank, hunt.rank / 32, crew, [&](auto use) {
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) use(sample[j]);
  });
  if (OfCrew::thread() == 0) hunt.states[row] = {hunt.k_of(row) == 0 ? Bits{0} : bound, 0, 0};
}

/// Keeps what is better than the row's bound, and counts what equals it.
template <class Bits>
__device__ void filter_part(const Hunt<Bits>& hunt, std::size_t row, unsigned part,
                            std::byte* s_begin) {
  constexpr unsigned kKeys = Vector<Bits>::kKeys;
  const RowVectors<Bits> vectors(hunt, row);
  const Bits bound = hunt.states[row].bound;
  Collector<Bits> collector(hunt, row, s_begin);
  const unsigned begin = part * hunt.vectors;
  const unsigned end = min(begin + hunt.vectors, vectors.count());
  unsigned ties = 0;
#pragma unroll 1
  for (unsigned tile = begin; tile < end; tile += kTileVectors) {
    Vector<Bits> loaded[kLoads];
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) {
      const unsigned at = tile + j * kThreads + threadIdx.x;
      loaded[j] = at < end ? vectors.load(at) : Vector<Bits>{};
    }
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) {
      const unsigned at = tile + j * kThreads + threadIdx.x;
      Bits(&keys)[kKeys] = loaded[j].keys;
      hunt.map.order(keys);
      bool is_any = false;
#pragma unroll
      for (unsigned i = 0; i < kKeys; ++i) is_any = is_any || keys[i] <= bound;
      if (__any_sync(kAllLanes, is_any && at < end) == 0) continue;
#pragma unroll
      for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned place = vectors.place(at, i);
        const bool is_there = at < end && vectors.has(place);
        ties += is_there && keys[i] == bound ? 1 : 0;
        collector.append(is_there && keys[i] < bound, keys[i], place);
      }
    }
    collector.flush_when_half_full();
  }
  collector.flush();
  auto* const s_sums = reinterpret_cast<unsigned*>(s_begin);
  const unsigned of_warp = __reduce_add_sync(kAllLanes, ties);
  if (lane_id() == 0) s_sums[warp_id()] = of_warp;
  __syncthreads();
  if (threadIdx.x < kWarp) {
    const unsigned all =
        __reduce_add_sync(kAllLanes, lane_id() < kThreads / kWarp ? s_sums[lane_id()] : 0);
    if (lane_id() == 0) {
      hunt.ties[row * hunt.parts + part] = all;
      if (all != 0) atomicAdd(&hunt.states[row].ties, all);
    }
  }
  __syncthreads();
}

template <class Bits>
__global__ void __launch_bounds__(kThreads, 3) filter_rows(Hunt<Bits> hunt) {
  await_previous_kernel();
  const std::size_t row = blockIdx.x / hunt.parts;
  filter_part(hunt, row, static_cast<unsigned>(blockIdx.x - row * hunt.parts), dynamic_shared());
}

/// What all blocks of a grid do for rows whose bound was bad, and for those that need ties: nothing, as a rule.
template <class Bits>
class Mender {
 public:
  using OfCrew = Crew<kThreads>;
  static constexpr std::size_t kBytes =
      sizeof(typename OfCrew::Shared) + Collector<Bits>::kBytes + kThreads * sizeof(unsigned);

  __device__ explicit Mender(const Hunt<Bits>& hunt)
      : hunt_(hunt),
        s_crew_(*reinterpret_cast<typename OfCrew::Shared*>(dynamic_shared())),
        s_rest_(dynamic_shared() + sizeof(typename OfCrew::Shared)),
        s_marks_(reinterpret_cast<unsigned*>(s_rest_ + Collector<Bits>::kBytes)),
        crew_(s_crew_) {}

  /// Gives rows with too many or too few items their k-th key as the bound.
  __device__ void mend_bounds() {
    for_marked(
        hunt_.rows, 0, 1, [&](std::size_t row) { return is_bad(row); },
        [&](std::size_t row) { mend_bound(row); });
  }

  /// Appends the first equal keys where the better ones are fewer than k, and says how many items are kept.
  __device__ void add_ties() {
    for (std::size_t row = std::size_t{blockIdx.x} * kThreads + threadIdx.x; row < hunt_.rows;
         row += std::size_t{gridDim.x} * kThreads) {
      hunt_.counts[row] = max(hunt_.states[row].better, hunt_.k_of(row));
    }
    for_marked(
        hunt_.rows * hunt_.parts, blockIdx.x, gridDim.x,
        [&](std::size_t part) {
          const std::size_t row = part / hunt_.parts;
          return hunt_.states[row].better < hunt_.k_of(row) && hunt_.ties[part] != 0;
        },
        [&](std::size_t part) {
          const std::size_t row = part / hunt_.parts;
          add_ties(row, static_cast<unsigned>(part - row * hunt_.parts));
        });
  }

 private:
  /// Calls use(i) for those of first, first + step, .. below `end` that is_marked(i): with all threads.
  template <class IsMarked, class Use>
  __device__ void for_marked(std::size_t end, std::size_t first, std::size_t step,
                             IsMarked is_marked, Use use) {
    for (std::size_t base = first; base < end; base += kThreads * step) {
      const std::size_t mine = base + threadIdx.x * step;
      const bool marks = mine < end && is_marked(mine);
      s_marks_[threadIdx.x] = marks ? 1 : 0;
      if (__syncthreads_or(marks) == 0) continue;
      for (unsigned t = 0; t < kThreads; ++t) {
        if (s_marks_[t] != 0) use(base + t * step);
      }
      __syncthreads();
    }
  }

  __device__ bool is_bad(std::size_t row) const {
    const RowState<Bits>& state = hunt_.states[row];
    return state.better > hunt_.room || state.better + state.ties < hunt_.k_of(row);
  }

  /// Calls use(key) for the keys of a part.
  template <class Use>
  __device__ void for_keys(std::size_t row, unsigned part, Use use) {
    const RowVectors<Bits> vectors(hunt_, row);
    const unsigned begin = part * hunt_.vectors;
    const unsigned end = min(begin + hunt_.vectors, vectors.count());
    for (unsigned at = begin + threadIdx.x; at < end; at += kThreads) {
      Vector<Bits> loaded = vectors.load(at);
      hunt_.map.order(loaded.keys);
#pragma unroll
      for (unsigned i = 0; i < Vector<Bits>::kKeys; ++i) {
        if (vectors.has(vectors.place(at, i))) use(loaded.keys[i]);
      }
    }
  }

  __device__ void mend_bound(std::size_t row) {
    Bits low = 0, high = static_cast<Bits>(~Bits{0});
    unsigned k = hunt_.k_of(row);
    for (bool is_one_word = false; !is_one_word;) {
      const typename OfCrew::template Cut<Bits> cut(low, high);
      grid_.sync();
      if (blockIdx.x == 0) {
        for (unsigned b = threadIdx.x; b < OfCrew::kBins; b += kThreads) hunt_.bins[b] = 0;
      }
      grid_.sync();
      for (unsigned part = blockIdx.x; part < hunt_.parts; part += gridDim.x) {
        for_keys(row, part, [&](Bits key) {
          if (cut.has(key)) crew_.count(cut.bin(key));
        });
      }
      __syncthreads();
      for (unsigned b = threadIdx.x; b < OfCrew::kBins; b += kThreads) {
        if (s_crew_.bins[b] != 0) atomicAdd(&hunt_.bins[b], s_crew_.bins[b]);
      }
      grid_.sync();
      for (unsigned b = threadIdx.x; b < OfCrew::kBins; b += kThreads) {
        s_crew_.bins[b] = __ldcg(&hunt_.bins[b]);
      }
      const auto found = crew_.find(k);
      k -= found.before;
      low = cut.first_of(found.bin);
      high = cut.last_of(found.bin);
      is_one_word = cut.shift == 0;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) hunt_.states[row] = {low, 0, 0};
    grid_.sync();
    for (unsigned part = blockIdx.x; part < hunt_.parts; part += gridDim.x) {
      filter_part(hunt_, row, part, s_rest_);
    }
    grid_.sync();
  }

  __device__ void add_ties(std::size_t row, unsigned part) {
    constexpr unsigned kOfThread = 8;  // keys in a row, of a thread
    const Bits bound = hunt_.states[row].bound;
    const unsigned better = hunt_.states[row].better;
    const unsigned need = hunt_.k_of(row) - better;
    unsigned mine = 0;
    for (unsigned p = threadIdx.x; p < part; p += kThreads) {
      mine += hunt_.ties[row * hunt_.parts + p];
    }
    unsigned done = crew_.sum(mine);
    const RowVectors<Bits> vectors(hunt_, row);
    const Bits* const keys = hunt_.keys + row * hunt_.stride;
    const std::size_t end = vectors.begin_of((part + 1) * hunt_.vectors);
    for (std::size_t tile = vectors.begin_of(part * hunt_.vectors); tile < end && done < need;
         tile += kThreads * kOfThread) {
      const std::size_t first = tile + threadIdx.x * kOfThread;
      unsigned equal = 0;
#pragma unroll
      for (unsigned i = 0; i < kOfThread; ++i) {
        if (first + i < end && hunt_.map.ordered(keys[first + i]) == bound) equal |= 1u << i;
      }
      const auto sums = crew_.sums(__popc(equal));
      unsigned at = done + sums.before;
      for (unsigned rest = equal; rest != 0 && at < need; rest &= rest - 1, ++at) {
        hunt_.kept.bits[row * hunt_.room + better + at] = bound;
        hunt_.kept.places[row * hunt_.room + better + at] =
            static_cast<std::uint32_t>(first + __ffs(static_cast<int>(rest)) - 1);
      }
      done += sums.all;
    }
  }

  const Hunt<Bits>& hunt_;
  typename OfCrew::Shared& s_crew_;
  std::byte* s_rest_;
  unsigned* s_marks_;
  OfCrew crew_;
  GridBarrier grid_;
};

template <class Bits>
__global__ void __launch_bounds__(kThreads) mend_rows(Hunt<Bits> hunt) {
  Mender<Bits> mender(hunt);
  mender.mend_bounds();
  mender.add_ties();
}

}  // namespace sortlab::gpu::topk::select

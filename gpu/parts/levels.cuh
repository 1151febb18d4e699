// The levels of the MSD radix sort, one by one, for keys whose first scatter crosses to other GPUs (gpu/multi/fused): the
// caller counts the bins of the keys, says where each bin goes, scatters, and later sorts bins that lie side by side.
//
//     data         [ . . . . . . . . ]     TopLevel: counts, then scatters each bin to its place, in any GPU's memory
//     alternate    [  7  |  8  |  9  ]     BinsSort: a level or more, and the leaves, which end in data
//
// Bins are those of the top digit, or of a table (bin_table.hpp) where keys are uneven.
// Keys of the bins are encoded (KeyMap::ordered), those of the result are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/parts/bin_table.hpp"
#include "gpu/primitives/grid/msd/plan.cuh"

namespace sortlab::gpu::parts {

/// What a GPU needs in its workspace for `n` keys of its own.
template <class Bits>
class TopLevel {
 public:
  TopLevel(Layout& layout, std::size_t n);

  /// The bins are those of a table from now on, which is copied before this returns. The scatter writes back.key(k) where an
  /// ordered key is k.
  void use(const BinTable<Bits>& table, KeyMap<Bits> back, cudaStream_t stream);
  /// Counts the bins of the keys in buffers.raw.
  void count(const msd::Buffers<Bits>& buffers, cudaStream_t stream) const;
  /// Scatters them to places[bin], from buffers.alternate on; a place in the memory of another GPU is as far from there as
  /// its address. Bins of a table have slots, if tile_slots() says that there are some.
  void scatter(const msd::Buffers<Bits>& buffers, std::span<const msd::Count> places,
               std::span<const SlotsOfBin> slots, cudaStream_t stream) const;
  static TileSlots tile_slots();

  msd::Count* counts() const { return plan_.even.bins; }  // kTopBins

 private:
  msd::Plan plan_;
  BinTable<Bits>* d_table_;
  unsigned digit_bits_ = kTopBits;
  bool has_table_ = false;
  KeyMap<Bits> back_{};
};

/// A bin that has arrived: where its keys lie, and which keys they may be.
struct ArrivedBin {
  std::size_t begin;
  std::size_t end;
  msd::Count low;
  unsigned range_bits;
};

/// The sort of some of the bins of a GPU, `most` keys at most, all bins of `largest` keys at most.
template <class Bits>
class BinsSort {
 public:
  BinsSort(Layout& layout, std::size_t most);

  /// Sorts `count` bins, which lie in buffers.alternate. This is overwritten like buffers.data.
  void sort(const msd::Buffers<Bits>& buffers, const ArrivedBin* d_bins, unsigned count,
            std::size_t largest, cudaStream_t stream);
  /// Goes on with buckets that are still larger than a leaf, which keys that are spread evenly do not leave. Waits for the
  /// stream.
  void sort_rest(const msd::Buffers<Bits>& buffers, cudaStream_t stream);

 private:
  void split(const msd::Buffers<Bits>& buffers, cudaStream_t stream);
  void sort_leaves(const msd::Buffers<Bits>& buffers, cudaStream_t stream) const;

  msd::Plan plan_;
  unsigned level_ = 0;  // the next one
};

}  // namespace sortlab::gpu::parts

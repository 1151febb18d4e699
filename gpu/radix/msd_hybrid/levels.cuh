// The levels of the MSD radix sort, one by one, for keys whose first scatter crosses to other GPUs (gpu/multi/fused): the
// caller counts the top digit, says where each bin goes, scatters, and later sorts bins that lie side by side.
//
//     data         [ . . . . . . . . ]     count_top, then scatter_top: each bin to its place, in any GPU's memory
//     alternate    [  7  |  8  |  9  ]     sort_bins: a level or more, and the leaves, which end in data
//
// Keys of the bins are encoded (KeyMap::ordered), those of the result are not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/primitives/grid/msd/plan.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

constexpr unsigned kTopBits = 9;
constexpr unsigned kTopBins = 1u << kTopBits;

/// What a GPU needs in its workspace for `n` keys of its own.
template <class Bits>
class TopLevel {
 public:
  TopLevel(Layout& layout, std::size_t n);

  /// Counts the bins of the keys in buffers.raw.
  void count(const msd::Buffers<Bits>& buffers, cudaStream_t stream) const;
  /// Scatters them. counts() must hold the place of each bin then, from buffers.alternate on; a place in the memory of
  /// another GPU is as far from there as its address.
  void scatter(const msd::Buffers<Bits>& buffers, cudaStream_t stream) const;

  msd::Count* counts() const { return plan_.even.bins; }  // kTopBins

 private:
  msd::Plan plan_;
};

/// The sort of some of the bins of a GPU, `most` keys at most, all bins of `largest` keys at most.
template <class Bits>
class BinsSort {
 public:
  BinsSort(Layout& layout, std::size_t most);

  /// Sorts the bins `first` up to `end`, of which d_begins has where each begins, and where the last one ends. They lie in
  /// buffers.alternate, which is overwritten like buffers.data.
  void sort(const msd::Buffers<Bits>& buffers, const msd::Count* d_begins, unsigned first,
            unsigned end, std::size_t largest, cudaStream_t stream);
  /// Goes on with buckets that are still larger than a leaf, which keys that are spread evenly do not leave. Waits for the
  /// stream.
  void sort_rest(const msd::Buffers<Bits>& buffers, cudaStream_t stream);

 private:
  void split(const msd::Buffers<Bits>& buffers, cudaStream_t stream);
  void sort_leaves(const msd::Buffers<Bits>& buffers, cudaStream_t stream) const;

  msd::Plan plan_;
  unsigned level_ = 0;  // the next one
};

extern template class TopLevel<std::uint32_t>;
extern template class TopLevel<std::uint64_t>;
extern template class BinsSort<std::uint32_t>;
extern template class BinsSort<std::uint64_t>;

}  // namespace sortlab::gpu::radix::msd_hybrid

// Pairs with values of 8 bytes.
//
// Against an index of 4 bytes and a gather at the end: no random access, which past the L2 cache costs a
// sector of 32 bytes for each value.
#include "library/cuda/sweeps.cuh"

namespace sortlab::cuda::detail {
namespace {

struct Tiles {
  static constexpr std::size_t kBlockBytes = kWideBlockBytes;
  /// As many bytes a tile as gpu/radix/onesweep has for its widest pairs. Odd: fewer bank conflicts.
  template <class Bits, class Value>
  using Policy = gpu::sweep::TilePolicy<gpu::sweep::ByAtomics, 512, sizeof(Bits) == 4 ? 13 : 9, 2,
                                        sizeof(Bits) == 4 ? 5 : 3>;
};

}  // namespace

std::size_t wide_pairs_bytes(Widths widths, std::size_t n) {
  return sweep_bytes<Tiles, true>(widths, n);
}

void sort_wide_pairs(const gpu::radix::Call& call) { sort_by_sweeps<Tiles, true>(call); }

}  // namespace sortlab::cuda::detail

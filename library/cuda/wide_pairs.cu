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

template <class Bits, class Value>
using Sort = SweepSort<Tiles, Bits, Value>;

}  // namespace

std::size_t wide_pairs_bytes(Widths widths, std::size_t n) {
  return with_widths<true>(widths, [n]<class Bits, class Value>(Bits, Value) {
    return Sort<Bits, Value>(nullptr, n).space.bytes;
  });
}

void sort_wide_pairs(const RungJob& job) {
  const Widths widths{static_cast<unsigned>(bytes_of(job.type)), job.value_bytes};
  with_widths<true>(widths, [&]<class Bits, class Value>(Bits, Value) {
    Sort<Bits, Value>(job.d_workspace, job.n)(job);
  });
}

}  // namespace sortlab::cuda::detail

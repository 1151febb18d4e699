// Any items in blocks with at most 48 KB of shared memory, which each GPU has: where the other sorts of the
// library find too little.
#include "library/cuda/sweeps.cuh"

namespace sortlab::cuda::detail {
namespace {

constexpr std::size_t kCompactCounterBytes = 32 * 1024;

template <class Bits, class Value>
constexpr unsigned kItems = (sizeof(Bits) + kValueBytes<Value>) == 4 ? 31
                            : (sizeof(Bits) + kValueBytes<Value>) == 8
                                ? (kValueBytes<Value> == 0 ? 15 : 13)
                            : (sizeof(Bits) + kValueBytes<Value>) == 12 ? 9
                                                                        : 7;

struct Tiles {
  static constexpr std::size_t kBlockBytes = kCompactBlockBytes;
  template <class Bits, class Value>
  using Policy = gpu::sweep::TilePolicy<gpu::sweep::ByAtomics, 256, kItems<Bits, Value>, 2,
                                        kItems<Bits, Value>, kCompactCounterBytes>;
};

template <class Bits, class Value>
using Sort = SweepSort<Tiles, Bits, Value>;

}  // namespace

std::size_t compact_bytes(Widths widths, std::size_t n) {
  return with_widths<false>(widths, [n]<class Bits, class Value>(Bits, Value) {
    return Sort<Bits, Value>(nullptr, n).space.bytes;
  });
}

void sort_compactly(const RungJob& job) {
  const Widths widths{static_cast<unsigned>(bytes_of(job.type)), job.value_bytes};
  with_widths<false>(widths, [&]<class Bits, class Value>(Bits, Value) {
    Sort<Bits, Value>(job.d_workspace, job.n)(job);
  });
}

}  // namespace sortlab::cuda::detail

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

}  // namespace

std::size_t compact_bytes(Widths widths, std::size_t n) { return sweep_bytes<Tiles>(widths, n); }

void sort_compactly(const gpu::radix::Call& call) { sort_by_sweeps<Tiles>(call); }

}  // namespace sortlab::cuda::detail

// The kernels of a sort, once for the vectors of each instruction set, and the choice among them.
//
//   #define SORTLAB_KERNELS "cpu/merge/simd_kernels.hpp"     // template <class Key, bool kFloat>
//   #define SORTLAB_KERNELS_NAMESPACE sortlab::merging       // struct Kernels { .. calls(); };
//   #include "cpu/primitives/simd/for_each_isa.hpp"
//
// makes sortlab::merging::avx512::Kernels, avx2::Kernels and scalar::Kernels of one text, which sees
// what kernels.hpp has for that instruction set, and sortlab::merging::calls_for<Key, kFloat>(isa). To
// be included after all else and outside of any namespace. No include guard: a file may hold several
// sets of kernels.

SORTLAB_AVX512_BEGIN
namespace SORTLAB_KERNELS_NAMESPACE::avx512 {
using namespace simd::avx512;
#include SORTLAB_KERNELS
}  // namespace SORTLAB_KERNELS_NAMESPACE::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace SORTLAB_KERNELS_NAMESPACE::avx2 {
using namespace simd::avx2;
#include SORTLAB_KERNELS
}  // namespace SORTLAB_KERNELS_NAMESPACE::avx2
SORTLAB_AVX2_END

namespace SORTLAB_KERNELS_NAMESPACE::scalar {
using namespace simd::scalar;
#include SORTLAB_KERNELS
}  // namespace SORTLAB_KERNELS_NAMESPACE::scalar

namespace SORTLAB_KERNELS_NAMESPACE {
template <class Key, bool kFloat>
auto calls_for(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return avx512::Kernels<Key, kFloat>::calls();
    case Isa::avx2:
      return avx2::Kernels<Key, kFloat>::calls();
    case Isa::scalar:
      break;
  }
  return scalar::Kernels<Key, kFloat>::calls();
}
}  // namespace SORTLAB_KERNELS_NAMESPACE

#undef SORTLAB_KERNELS
#undef SORTLAB_KERNELS_NAMESPACE

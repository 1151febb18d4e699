// Compiles the kernels of a sort once for each instruction set, with a function that chooses among
// them.
//
//   #define SORTLAB_KERNELS "cpu/merge/simd/kernels.inl.hpp"          // template <class Key, bool kFloat>
//   #define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::merge::simd       // struct Kernels { .. calls(); };
//   #include "cpu/primitives/simd/for_each_isa.inl.hpp"
//
// makes sortlab::cpu::merge::simd::avx512::Kernels, avx2::Kernels and scalar::Kernels of one text; on
// Arm neon::Kernels and scalar::Kernels. It sees what lanes.hpp or kernels.hpp has for that instruction
// set, whose name is SORTLAB_ISA, and may include what it needs of *.inl.hpp here. The choice is
// sortlab::cpu::merge::simd::calls_for<Key, kFloat>(isa). To be included after all else and outside of
// any namespace. No include guard: a file may hold several sets of kernels.
#ifdef SORTLAB_KERNELS

  #define SORTLAB_PASTED

  #ifdef SORTLAB_X86
    #define SORTLAB_ISA avx512
SORTLAB_AVX512_BEGIN
namespace SORTLAB_KERNELS_NAMESPACE::avx512 {
using namespace sortlab::cpu::primitives::simd;
using namespace sortlab::cpu::primitives::simd::avx512;
    #include SORTLAB_KERNELS
}  // namespace SORTLAB_KERNELS_NAMESPACE::avx512
SORTLAB_AVX512_END
    #undef SORTLAB_ISA

    #define SORTLAB_ISA avx2
SORTLAB_AVX2_BEGIN
namespace SORTLAB_KERNELS_NAMESPACE::avx2 {
using namespace sortlab::cpu::primitives::simd;
using namespace sortlab::cpu::primitives::simd::avx2;
    #include SORTLAB_KERNELS
}  // namespace SORTLAB_KERNELS_NAMESPACE::avx2
SORTLAB_AVX2_END
    #undef SORTLAB_ISA
  #endif

  #ifdef SORTLAB_ARM
    #define SORTLAB_ISA neon
namespace SORTLAB_KERNELS_NAMESPACE::neon {
using namespace sortlab::cpu::primitives::simd;
using namespace sortlab::cpu::primitives::simd::neon;
    #include SORTLAB_KERNELS
}  // namespace SORTLAB_KERNELS_NAMESPACE::neon
    #undef SORTLAB_ISA
  #endif

  #define SORTLAB_ISA scalar
namespace SORTLAB_KERNELS_NAMESPACE::scalar {
using namespace sortlab::cpu::primitives::simd;
using namespace sortlab::cpu::primitives::simd::scalar;
  #include SORTLAB_KERNELS
}  // namespace SORTLAB_KERNELS_NAMESPACE::scalar
  #undef SORTLAB_ISA

namespace SORTLAB_KERNELS_NAMESPACE {
template <class Key, bool kFloat>
auto calls_for(Isa isa) {
  switch (isa) {
  #ifdef SORTLAB_X86
    case Isa::avx512:
      return avx512::Kernels<Key, kFloat>::calls();
    case Isa::avx2:
      return avx2::Kernels<Key, kFloat>::calls();
  #endif
  #ifdef SORTLAB_ARM
    case Isa::neon:
      return neon::Kernels<Key, kFloat>::calls();
  #endif
    default:
      break;
  }
  return scalar::Kernels<Key, kFloat>::calls();
}
}  // namespace SORTLAB_KERNELS_NAMESPACE

  #undef SORTLAB_PASTED
  #undef SORTLAB_KERNELS
  #undef SORTLAB_KERNELS_NAMESPACE
#endif

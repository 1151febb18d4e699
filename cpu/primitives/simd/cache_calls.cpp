// The functions of cache_calls.hpp for all instruction sets, in a unit for each width of keys (cmake/variants.cmake).
#include "cpu/primitives/simd/cache_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cpu/primitives/simd/kernels.hpp"

#define SORTLAB_KERNELS "cpu/primitives/simd/cache_calls.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::primitives::simd::cache_sort
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::primitives::simd {

template <class Key, bool kFloat>
CacheCalls<Key> cache_calls(Isa isa) {
  return cache_sort::calls_for<Key, kFloat>(isa);
}

template <class Key, bool kFloat>
void sort_few(Isa isa, Key* keys, std::size_t n, Key flip) {
  const CacheCalls<Key> calls = cache_sort::calls_for<Key, kFloat>(isa);
  if (!in_order_now(calls.look, keys, n, flip, 1)) calls.sort_raw(keys, n, flip);
}

using UnitKey = std::make_signed_t<SORTLAB_UNIT_KEY>;
template CacheCalls<UnitKey> cache_calls<UnitKey, false>(Isa);
template CacheCalls<UnitKey> cache_calls<UnitKey, true>(Isa);
template void sort_few<UnitKey, false>(Isa, UnitKey*, std::size_t, UnitKey);
template void sort_few<UnitKey, true>(Isa, UnitKey*, std::size_t, UnitKey);

}  // namespace sortlab::cpu::primitives::simd

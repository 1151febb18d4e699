// Packs and unpacks pairs (packed_items.hpp) on OpenMP's threads, for libraries that use them too.
#pragma once

#include <cstddef>

namespace sortlab::cpu::baselines {

/// One chunk per thread.
struct OpenMpChunks {
  int threads;

  template <class Body>
  void operator()(std::size_t n, Body body) const {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; ++t) body(n * t / threads, n * (t + 1) / threads);
  }
};

}  // namespace sortlab::cpu::baselines

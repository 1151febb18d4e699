// The threads on which pairs are packed and unpacked (packed_items.hpp) for parallel libraries.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace sortlab::cpu::baselines {

/// OpenMP's threads, for libraries that use them too. One chunk per thread.
struct OpenMpChunks {
  int threads;

  template <class Body>
  void operator()(std::size_t n, Body body) const {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; ++t) body(n * t / threads, n * (t + 1) / threads);
  }
};

/// Plain threads, like those that Boost's parallel sorts start. A pool's threads would keep spinning for a
/// while and take cores from the library's threads.
struct StdThreadChunks {
  int threads;

  template <class Body>
  void operator()(std::size_t n, Body body) const {
    // Below this, starting a thread costs more than the copy.
    constexpr std::size_t kWorthAThread = std::size_t{1} << 16;
    const std::size_t chunks = n < kWorthAThread ? 1 : static_cast<std::size_t>(threads);
    std::vector<std::jthread> helpers;
    for (std::size_t c = 1; c < chunks; ++c) {
      helpers.emplace_back([=] { body(n * c / chunks, n * (c + 1) / chunks); });
    }
    body(std::size_t{0}, n / chunks);
  }
};

}  // namespace sortlab::cpu::baselines

// The table of the map that spreads floats (gpu/primitives/spread_map.hpp), made from keys on the CPU.
#pragma once

#include <memory>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/primitives/grid/spread/weigh.cuh"

namespace sortlab::tests {

using gpu::KeyMap;
using gpu::Spread;
using gpu::SpreadMap;

template <class Key>
using Weighing = gpu::spread::Weighing<BitsOf<Key>>;

/// The table made from `keys`, or none if it would not do.
template <class Key>
std::unique_ptr<Weighing<Key>> weigh(const std::vector<Key>& keys, KeyMap<BitsOf<Key>> key_map,
                                     float least_evenness = 0.5f) {
  auto weighing = std::make_unique<Weighing<Key>>();
  std::memset(static_cast<void*>(weighing.get()), 0xa5, sizeof(*weighing));  // any bytes
  std::memset(static_cast<void*>(weighing.get()), 0,
              Weighing<Key>::kClearedWords * sizeof(unsigned));
  const auto* const bits = reinterpret_cast<const BitsOf<Key>*>(keys.data());
  // Few blocks at a time, each with shared memory of its own.
  constexpr unsigned kBlocks = 2;
  constexpr std::size_t kStretches = 8;
  const auto s = std::make_unique<gpu::spread::WeighShared<BitsOf<Key>>[]>(kBlocks);
  const std::size_t n = keys.size() / kStretches;
  for (std::size_t i = 0; i < kStretches; ++i) {
    Block::run_grid(kBlocks, gpu::spread::kThreads, Turns::alternating, [&] {
      gpu::spread::weigh_sample(bits + i * n, key_map, n, *weighing, s[blockIdx.x]);
    });
  }
  bool will_do = false;
  Block::run(gpu::spread::kThreads, Turns::downwards, [&] {
    const bool mine = gpu::spread::make_table(*weighing, key_map, least_evenness, s[0]);
    if (threadIdx.x == 0) will_do = mine;
  });
  return will_do ? std::move(weighing) : nullptr;
}

}  // namespace sortlab::tests

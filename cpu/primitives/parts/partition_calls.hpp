// The loops of a partition that are compiled for each instruction set: see partition_kernels.inl.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

namespace sortlab::cpu::parts {

/// Keys that are classified at a time, and cuts that all keys are compared with. With more, a search takes
/// fewer steps.
inline constexpr std::size_t kBlock = 1024, kFewCuts = 32;

template <class Key>
struct PartitionCalls {
  void (*count)(const Key* keys, std::size_t n, Key flip, std::span<const Key> last,
                std::size_t* above);
  void (*classify)(const Key* keys, std::size_t n, Key flip, std::span<const Key> last, Key* parts);
  void (*move)(const Key* keys, std::size_t n, Key flip, std::span<const Key> last, Key** next,
               Key* const* end);
};

}  // namespace sortlab::cpu::parts

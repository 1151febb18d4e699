// The shapes of the blocks and teams of gpu/radix/small, and its entry. The kernels of each width
// of keys and values are in a separate file, because they take long to compile.
#pragma once

#include <algorithm>

#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/small/cluster.cuh"
#include "gpu/radix/small/sweeps.cuh"
#include "gpu/radix/small/team.cuh"

namespace sortlab::gpu::radix::small {

// Teams: threads, and per thread the items of the chunk, of the bucket and of the sample. A bucket
// has room for 1.7 to 8 times its share of the items, to allow for errors of the sample: the fewer
// items are sampled, the more room it needs.
template <class Bits, class Value>
using OneCluster = ClusterShape<Bits, Value, 512, 2, 8, 128>;
template <class Bits, class Value>
using SmallShape = TeamShape<Bits, Value, 512, 2, 8, 2>;
template <class Bits, class Value>
using MediumShape =
    std::conditional_t<kValueBytes<Value> == 0, TeamShape<Bits, Value, 1024, 4, 8, 4>,
                       TeamShape<Bits, Value, 512, 8, 16, 8>>;
template <class Bits, class Value>
constexpr bool kIsWidePair = sizeof(Bits) == 8 && kValueBytes<Value> > 0;
template <class Bits, class Value>
using LargeShape = TeamShape<Bits, Value, 1024, 8, kIsWidePair<Bits, Value> ? 14 : 16, 4,
                             (kValueBytes<Value> > 0)>;

constexpr unsigned kMaxOfBlock = 4096;
constexpr unsigned kMaxOfNarrowBlock = 8192;  // keys of 32 bits alone
constexpr unsigned kMaxOfCluster = kMaxCluster * OneCluster<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfSmall = SmallShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfMedium = MediumShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfLarge = LargeShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfFewBlocks = 32768;  // more items get blocks of half a chunk, if available

/// The most blocks of a team on the current device.
inline unsigned grid_blocks() {
  const std::size_t processors = device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<unsigned>(std::min<std::size_t>(processors, kMaxTeam));
}

/// The most items of a block on a GPU with so much shared memory for it.
inline std::size_t max_share(std::size_t shared_bytes) {
  using Bits = std::uint64_t;
  using Value = std::uint32_t;
  const auto fits = [=]<class Shape>(Shape) {
    return sizeof(typename Shape::Shared) <= shared_bytes;
  };
  if (fits(LargeShape<Bits, Value>{})) return kMaxOfLarge;
  if (fits(MediumShape<Bits, Value>{})) return kMaxOfMedium;
  return kMaxOfSmall;
}

/// The parts of the workspace.
template <class Bits, class Value>
struct Space {
  TeamWords* d_words;  // a block alone needs none
  Value* d_spare_places = nullptr;
  std::byte* d_sweeps = nullptr;  // of a large team of pairs
  std::size_t bytes;

  Space(std::byte* d_workspace, std::size_t n) {
    Layout layout(d_workspace);
    d_words = layout.take<TeamWords>(n > kMaxOfBlock ? 1 : 0);
    if constexpr (!std::is_same_v<Value, NoValue>) {
      d_spare_places = layout.take<Value>(n);
      if (n > kMaxOfMedium) {
        d_sweeps = layout.take<std::byte>(sweep::FallBack<Bits, Value>(n, nullptr).space.bytes);
      }
    }
    bytes = layout.bytes();
  }
};

/// Sorts job.n items, at most max_share() items for each of grid_blocks() blocks, in memory of a Space. What a large team
/// leaves to sweeps goes between `arrays`. Defined in launches.cuh.
template <class Bits, class Value>
void sort(TeamJob<Bits, Value> job, const Space<Bits, Value>& space,
          const sweep::Arrays<Bits, Value>& arrays, cudaStream_t stream);

}  // namespace sortlab::gpu::radix::small

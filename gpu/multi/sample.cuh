// Chooses the splitters (splitters.hpp): every GPU writes a sample of its keys into the memory of the first
// one, which sorts the samples and picks. The host hears of the splitters alone.
#pragma once

#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/multi/local_sort.cuh"
#include "gpu/multi/splitters.hpp"
#include "gpu/multi/streams.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::multi {

constexpr unsigned kSampleBlock = 256;  // threads

/// Writes the sample of a part of n items, and numbers its items from first_number on.
template <class Bits>
__global__ void __launch_bounds__(kSampleBlock)
    draw_sample(const Bits* keys, KeyMap<Bits> key_map, std::size_t n, unsigned count,
                unsigned first_number, Items<Bits, std::uint32_t> sample) {
  const unsigned i = blockIdx.x * kSampleBlock + threadIdx.x;
  if (i >= count) return;
  sample.put(i, {key_map.ordered(keys[sample_place(n, count, i)]), first_number + i});
}

/// An item of the sorted sample, and its number among all samples.
template <class Bits>
struct Picked {
  Bits key;
  std::uint32_t number;
};

template <class Bits>
__global__ void __launch_bounds__(kMostShares)
    pick_splitters(Items<Bits, std::uint32_t> sample, std::size_t sampled, unsigned shares,
                   Picked<Bits>* picked) {
  if (threadIdx.x + 1 >= shares) return;
  const std::size_t rank = splitter_rank(sampled, shares, threadIdx.x);
  picked[threadIdx.x] = {sample.keys[rank], sample.values[rank]};
}

/// What the first part needs for the samples of `parts` parts.
template <class Bits>
struct SampleMemory {
  std::size_t most;
  Items<Bits, std::uint32_t> d_sample, d_alternate;
  Picked<Bits>* d_picked;
  std::span<std::byte> d_workspace;

  SampleMemory(Layout& layout, std::size_t parts) : most(parts * kSampleOfPart) {
    d_sample = {layout.take<Bits>(most), layout.take<std::uint32_t>(most)};
    d_alternate = {layout.take<Bits>(most), layout.take<std::uint32_t>(most)};
    d_picked = layout.take<Picked<Bits>>(kMostShares);
    const std::size_t bytes = local_sort_bytes<Bits, std::uint32_t>(most);
    d_workspace = {layout.take<std::byte>(bytes), bytes};
  }
};

/// Cuts the keys of all parts, `keys[p]` those of part p, into `shares` even shares. `memory` is in the
/// workspace of the first part. There must be an item.
template <class Job, class Bits>
std::vector<Splitter<Bits>> choose_splitters(const Job& job, KeyMap<Bits> key_map,
                                             const std::vector<const Bits*>& keys,
                                             std::size_t shares, const SampleMemory<Bits>& memory) {
  const cudaStream_t stream = job.parts.front().stream;
  std::vector<std::size_t> sizes;
  std::size_t sampled = 0;
  for (std::size_t p = 0; p < job.parts.size(); ++p) {
    const auto& part = job.parts[p];
    const OnDevice here(part.device);
    const std::size_t count = sample_size(part.n);
    launch("draw_sample", draw_sample<Bits>,
           {ceil_div(count, std::size_t{kSampleBlock}), kSampleBlock}, part.stream, keys[p],
           key_map, part.n, count, sampled, memory.d_sample.from(sampled));
    Reached(part.stream).hold_back(stream);
    sizes.push_back(part.n);
    sampled += count;
  }
  const OnDevice here(job.parts.front().device);
  sort_in_place<KeyLess<Bits, Order::ascending>>(memory.d_sample, memory.d_alternate, sampled,
                                                 memory.d_workspace, stream);
  launch("pick_splitters", pick_splitters<Bits>, {1, static_cast<unsigned>(kMostShares)}, stream,
         memory.d_sample, sampled, shares, memory.d_picked);
  std::vector<Picked<Bits>> picked(shares - 1);
  copy_words(picked.data(), memory.d_picked, picked.size(), stream);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<Splitter<Bits>> splitters;
  for (const auto& [key, number] : picked) {
    const auto [part, place] = sampled_from(sizes, number);
    splitters.push_back({key, part, place});
  }
  return splitters;
}

}  // namespace sortlab::gpu::multi

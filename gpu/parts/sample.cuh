// Chooses the splitters (splitters.hpp): a sample of each GPU's keys, and the sort of all samples, out of which a GPU
// picks. The host hears of the splitters alone.
#pragma once

#include <span>
#include <vector>

#include "gpu/parts/local_sort.cuh"
#include "gpu/parts/splitters.hpp"
#include "gpu/parts/streams.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::parts {

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
__global__ void __launch_bounds__(kSampleBlock)
    pick_splitters(Items<Bits, std::uint32_t> sample, std::size_t sampled, unsigned shares,
                   Picked<Bits>* picked) {
  const unsigned i = blockIdx.x * kSampleBlock + threadIdx.x;
  if (i + 1 >= shares) return;
  const std::size_t rank = splitter_rank(sampled, shares, i);
  picked[i] = {sample.keys[rank], sample.values[rank]};
}

/// As many shares as can be asked for.
constexpr std::size_t kMostPicked = 4096;

/// What a part needs that sorts the samples of `parts` parts.
template <class Bits>
struct SampleMemory {
  std::size_t most;
  Items<Bits, std::uint32_t> d_sample, d_alternate;
  Picked<Bits>* d_picked;
  std::span<std::byte> d_workspace;

  SampleMemory(Layout& layout, std::size_t parts) : most(parts * kSampleOfPart) {
    d_sample = {layout.take<Bits>(most), layout.take<std::uint32_t>(most)};
    d_alternate = {layout.take<Bits>(most), layout.take<std::uint32_t>(most)};
    d_picked = layout.take<Picked<Bits>>(kMostPicked);
    const std::size_t bytes = local_sort_bytes<Bits, std::uint32_t>(most);
    d_workspace = {layout.take<std::byte>(bytes), bytes};
  }
};

/// Writes the sample of a part of n items, on its device, and numbers its items from first_number on.
template <class Bits>
void launch_draw(const Bits* d_keys, KeyMap<Bits> key_map, std::size_t n, std::size_t first_number,
                 Items<Bits, std::uint32_t> d_sample, cudaStream_t stream) {
  const std::size_t count = sample_size(n);
  launch("draw_sample", draw_sample<Bits>,
         {ceil_div(count, std::size_t{kSampleBlock}), kSampleBlock}, stream, d_keys, key_map, n,
         count, first_number, d_sample);
}

/// Sorts the samples of all parts, which lie in memory.d_sample in their order, and picks the splitters of
/// `shares` even shares, as the samples number them. Part p has sizes[p] items; there must be one. Waits for the stream.
template <class Bits>
std::vector<Picked<Bits>> sort_and_pick_numbers(const SampleMemory<Bits>& memory,
                                                std::span<const std::size_t> sizes,
                                                std::size_t shares, cudaStream_t stream) {
  const std::size_t sampled = first_of_sample(sizes, sizes.size());
  sort_in_place({key_type_of<Bits>(), Order::ascending}, memory.d_sample, memory.d_alternate,
                sampled, memory.d_workspace, stream);
  launch("pick_splitters", pick_splitters<Bits>,
         {ceil_div(shares, std::size_t{kSampleBlock}), kSampleBlock}, stream, memory.d_sample,
         sampled, shares, memory.d_picked);
  std::vector<Picked<Bits>> picked(shares - 1);
  copy_words(picked.data(), memory.d_picked, picked.size(), stream);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return picked;
}

/// The same, with their places in the parts.
template <class Bits>
std::vector<Splitter<Bits>> sort_and_pick(const SampleMemory<Bits>& memory,
                                          std::span<const std::size_t> sizes, std::size_t shares,
                                          cudaStream_t stream) {
  std::vector<Splitter<Bits>> splitters;
  for (const auto& [key, number] : sort_and_pick_numbers(memory, sizes, shares, stream)) {
    const auto [part, place] = sampled_from(sizes, number);
    splitters.push_back({key, part, place});
  }
  return splitters;
}

/// The keys of the sorted samples, equally far from each other. Where they came from takes the host longer than all else.
template <class Bits>
std::vector<Bits> sort_and_pick_keys(const SampleMemory<Bits>& memory,
                                     std::span<const std::size_t> sizes, cudaStream_t stream) {
  std::vector<Bits> keys;
  for (const auto& picked : sort_and_pick_numbers(memory, sizes, kMostPicked, stream)) {
    keys.push_back(picked.key);
  }
  return keys;
}

}  // namespace sortlab::gpu::parts

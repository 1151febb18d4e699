// The splitters of several GPUs of one process: every GPU writes a sample of its keys into the memory of the first
// one, which sorts the samples and picks.
#pragma once

#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/parts/sample.cuh"

namespace sortlab::gpu::multi {

/// The job with keys as their bits, so that the sort is compiled once per key width. Key type and order are passed
/// at run time (KeyKind).
template <class Key, class Value, Order kOrder>
DevicesJob<BitsOf<Key>, Value, Order::ascending> with_bits(
    const DevicesJob<Key, Value, kOrder>& job) {
  DevicesJob<BitsOf<Key>, Value, Order::ascending> bits{{}, job.params};
  for (const DevicePart<Key, Value>& part : job.parts) {
    bits.parts.push_back({part.device, as_bits(part.data), as_bits(part.alternate), part.n,
                          part.capacity, part.workspace, part.stream, part.copy_streams});
  }
  return bits;
}

/// Draws the sample of all parts, `keys[p]` those of part p, into `memory`, which is in the workspace of the first part. Returns
/// how many items each part has.
template <class Job, class Bits>
std::vector<std::size_t> draw_samples(const Job& job, KeyMap<Bits> key_map,
                                      const std::vector<const Bits*>& keys,
                                      const parts::SampleMemory<Bits>& memory) {
  const cudaStream_t stream = job.parts.front().stream;
  std::vector<std::size_t> sizes;
  for (const auto& part : job.parts) sizes.push_back(part.n);
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    const auto& part = job.parts[p];
    const OnDevice here(part.device);
    const std::size_t first = parts::first_of_sample(sizes, p);
    parts::launch_draw(keys[p], key_map, part.n, first, memory.d_sample.from(first), part.stream);
    parts::Reached(part.stream).hold_back(stream);
  }
  return sizes;
}

/// Cuts the keys of all parts into `shares` even shares. There must be an item.
template <class Job, class Bits>
std::vector<parts::Splitter<Bits>> choose_splitters(const Job& job, KeyMap<Bits> key_map,
                                                    const std::vector<const Bits*>& keys,
                                                    std::size_t shares,
                                                    const parts::SampleMemory<Bits>& memory) {
  const auto sizes = draw_samples(job, key_map, keys, memory);
  const OnDevice here(job.parts.front().device);
  return parts::sort_and_pick(memory, sizes, shares, job.parts.front().stream);
}

/// The keys of a sorted sample of all parts, as key_map orders them.
template <class Job, class Bits>
std::vector<Bits> sorted_sample(const Job& job, KeyMap<Bits> key_map,
                                const std::vector<const Bits*>& keys,
                                const parts::SampleMemory<Bits>& memory) {
  const auto sizes = draw_samples(job, key_map, keys, memory);
  const OnDevice here(job.parts.front().device);
  return parts::sort_and_pick_keys(memory, sizes, job.parts.front().stream);
}

}  // namespace sortlab::gpu::multi

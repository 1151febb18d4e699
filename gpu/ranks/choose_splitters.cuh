// The splitters of ranks: each draws a sample of its keys and sends it to all. Each sorts the samples of all, and so
// picks the same splitters.
#pragma once

#include <vector>

#include "common/contract/parts.hpp"
#include "gpu/parts/sample.cuh"
#include "gpu/ranks/exchange.hpp"

namespace sortlab::gpu::ranks {

/// The job with keys as their bits, so that the sort is compiled once per key width. Key type and order are passed
/// at run time (KeyKind).
template <class Key, class Value, Order kOrder>
PartJob<BitsOf<Key>, Value, Order::ascending> with_bits(const PartJob<Key, Value, kOrder>& job) {
  return {as_bits(job.data),
          as_bits(job.alternate),
          job.n,
          job.capacity,
          job.all_n,
          {},
          job.workspace,
          job.threads,
          job.isa,
          job.params,
          job.parts,
          job.stream,
          job.copy_stream,
          job.on_device};
}

/// Draws the sample of all ranks, of which d_keys are this one's, into `memory`. Returns how many items each rank has.
template <class Job, class Bits>
std::vector<std::size_t> gather_samples(const Job& job, KeyMap<Bits> key_map, const Bits* d_keys,
                                        const parts::SampleMemory<Bits>& memory) {
  std::vector<std::size_t> sizes = gathered(job.parts, job.n);
  const auto own = static_cast<std::size_t>(job.parts.part());
  parts::launch_draw(d_keys, key_map, job.n, parts::first_of_sample(sizes, own), memory.d_alternate,
                     job.stream);
  Round round;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    round.send(p, memory.d_alternate, parts::sample_size(job.n));
    round.receive(p, memory.d_sample.from(parts::first_of_sample(sizes, p)),
                  parts::sample_size(sizes[p]));
  }
  round.exchange(*job.on_device, job.stream);
  return sizes;
}

/// Cuts the keys of all ranks into `shares` even shares. There must be an item.
template <class Job, class Bits>
std::vector<parts::Splitter<Bits>> choose_splitters(const Job& job, KeyMap<Bits> key_map,
                                                    const Bits* d_keys, std::size_t shares,
                                                    const parts::SampleMemory<Bits>& memory) {
  const auto sizes = gather_samples(job, key_map, d_keys, memory);
  return parts::sort_and_pick(memory, sizes, shares, job.stream);
}

/// The keys of a sorted sample of all ranks, as key_map orders them.
template <class Job, class Bits>
std::vector<Bits> sorted_sample(const Job& job, KeyMap<Bits> key_map, const Bits* d_keys,
                                const parts::SampleMemory<Bits>& memory) {
  const auto sizes = gather_samples(job, key_map, d_keys, memory);
  return parts::sort_and_pick_keys(memory, sizes, job.stream);
}

}  // namespace sortlab::gpu::ranks

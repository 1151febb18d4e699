// A sort of host data with a GPU's help, with keys as their bits: what they are is told when it runs. So whatever sorts
// in pieces is compiled once for keys of one width. Needs no CUDA.
#pragma once

#include <cstddef>
#include <span>

#include "common/contract/offload.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::offload {

template <class BitsT, class ValueT>
struct BitsJob {
  using Key = BitsT;
  using Value = ValueT;

  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::size_t n;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  std::span<const OffloadGpu> gpus;
  bool pinned;
  KeyKind kind;
};

template <class Job>
auto with_bits(const Job& job) {
  return BitsJob<BitsOf<typename Job::Key>, typename Job::Value>{as_bits(job.data),
                                                                 as_bits(job.alternate),
                                                                 job.n,
                                                                 job.workspace,
                                                                 job.threads,
                                                                 job.isa,
                                                                 job.gpus,
                                                                 job.pinned,
                                                                 kind_of(job)};
}

}  // namespace sortlab::gpu::offload

// Sorts a piece with the CPU's threads: gathers its runs at their destination, then calls cpu/auto. Needs no CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "common/contract/variant.hpp"
#include "common/threads/loops.hpp"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::hybrid {

/// The sort that the CPU's share goes to; null in a program without it.
inline const Variant* cpu_variant() { return find_variant("cpu/auto/auto"); }

template <class Key, class Value>
class CpuSort {
 public:
  /// For pieces of at most `most` items, with that many threads.
  template <class Job>
  CpuSort(const Job& job, std::size_t most, int threads, std::span<std::byte> workspace)
      : code_(cpu_variant()->instance(job.kind.type, kValueBytes<Value>, job.kind.order)),
        isa_(job.isa),
        threads_(threads),
        memory_(most, threads, workspace.data()) {}

  static std::size_t workspace_bytes(std::size_t most, int threads) {
    return Memory(most, threads, nullptr).bytes;
  }

  template <class Piece>
  void sort(const Piece& piece) const {
    gather(piece);
    const Params none;
    ErasedJob job{};
    job.instance = code_;
    job.keys = piece.to.keys;
    job.values = piece.to.values;
    job.alternate_keys = memory_.alternate.keys;
    job.alternate_values = memory_.alternate.values;
    job.n = piece.n;
    job.workspace = memory_.workspace;
    job.threads = threads_;
    job.isa = isa_;
    job.params = &none;
    if (code_->sort(job) == ResultIn::alternate) copy(piece.to, memory_.alternate, piece.n);
  }

 private:
  using Items = sortlab::Items<Key, Value>;

  struct Memory {
    Memory(std::size_t most, int threads, std::byte* base) {
      Layout layout(base);
      alternate.keys = layout.take<Key>(most);
      if constexpr (Items::kPairs) alternate.values = layout.take<Value>(most);
      const Params none;
      const auto needed = [&](std::size_t n) {
        return cpu_variant()->workspace_bytes({n, sizeof(Key), kValueBytes<Value>, threads, none});
      };
      const std::size_t most_needed =
          std::max(needed(most), needed(most - std::min<std::size_t>(most, 1)));
      workspace = {layout.take<std::byte>(most_needed), most_needed};
      bytes = layout.bytes();
    }

    Items alternate;
    std::span<std::byte> workspace;
    std::size_t bytes;
  };

  void copy(const Items& to, const Items& from, std::size_t n) const {
    threads::for_each_chunk(n, threads_, [&](std::size_t first, std::size_t last) {
      copy_part(to.from(first), from.from(first), last - first);
    });
  }
  static void copy_part(const Items& to, const Items& from, std::size_t n) {
    if (n == 0) return;
    std::memcpy(to.keys, from.keys, n * sizeof(Key));
    if constexpr (Items::kPairs) std::memcpy(to.values, from.values, n * sizeof(Value));
  }

  /// In pass 1 the only run is in its place already.
  template <class Piece>
  void gather(const Piece& piece) const {
    if (piece.from.size() == 1 && piece.from[0].items.keys == piece.to.keys) return;
    std::vector<std::size_t> place;
    std::size_t at = 0;
    for (const auto& run : piece.from) {
      place.push_back(at);
      at += run.n;
    }
    threads::for_each_part(piece.from.size(), threads_, [&](std::size_t i, int) {
      copy_part(piece.to.from(place[i]), piece.from[i].items, piece.from[i].n);
    });
  }

  const Instance* code_;
  Isa isa_;
  int threads_;
  Memory memory_;
};

}  // namespace sortlab::gpu::hybrid

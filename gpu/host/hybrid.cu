// A sort of data in host memory by the GPU and the CPU at once: both take pieces until none is left.
//
// Over pieces: the CPU's threads sort pieces, too, in both passes, while the link carries others. Nothing is merged
// afterwards: a piece of pass 2 is a bucket, whoever sorts it. The shares follow from the rates of this very sort.
// What it can gain: with g and c ns per key for link and CPU alone, both together take g c / (g + c). At 0.072 (u32,
// 55 GB/s) and 0.34 that is 0.06, so two crossings cost 0.12 ns per key; a GPU alone takes 0.16 for data that fits it,
// because its results can leave only when all keys have arrived.
// Gained: 2^30 u32, pinned, 6.7 Gkeys/s beside 6.4 of the GPU alone; staged 3.8 beside 5.8 (H200, 16 CPUs;
// results/h200/host.csv.xz).
// Limits: host memory carries what the CPU sorts as well. Takes half of the threads to stage pageable memory.
// Source: our own.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "common/contract/variant.hpp"
#include "common/threads/team.hpp"
#include "gpu/auto/chosen.hpp"
#include "gpu/host/hybrid/sort.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::hybrid {

// Sorts a piece with the CPU's threads: gathers its runs at their destination, then calls cpu/auto. Needs no CUDA.

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

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {{"pieces", 32, 2, gpu::offload::kMostPieces,
                                  "into how many pieces the data is cut, if they fit the GPU"}};

struct Hybrid {
  using JobKind = Offload;
  static constexpr Info info{.summary = "the GPU and the CPU share the pieces",
                             .source = "our own",
                             .after = "gpu/host/pieces",
                             .memory = Memory::both,
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};
  using Sort = gpu::Chosen<true>;
  using Planned = gpu::offload::Planned<Sort>;

  static std::string unavailable() {
    return gpu::hybrid::cpu_variant() == nullptr ? "cpu/auto/auto is not in this program" : "";
  }

  static OffloadNeeds needs(const OffloadRequest& request) {
    auto [plan, needs] = planned(request);
    const auto crew = gpu::hybrid::Crew::of(request.threads, request.pinned);
    needs.pinned_bytes = gpu::offload::Link::pinned_bytes(request.pinned, crew.carriers);
    const auto bytes = [&, &plan = plan]<class Bits, class Value>(Bits, Value) {
      return workspace_bytes<Bits, Value>(plan, crew.sorters);
    };
    needs.workspace_bytes = visit_widths(request.key_bytes, request.value_bytes, bytes);
    return needs;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using CpuSort = gpu::hybrid::CpuSort<BitsOf<typename Job::Key>, typename Job::Value>;
    return gpu::hybrid::sort<Sort, CpuSort>(gpu::offload::with_bits(job),
                                            planned(request_of(job)).plan);
  }

 private:
  static Planned planned(const OffloadRequest& request) {
    const std::size_t bytes = request.n * (request.key_bytes + request.value_bytes);
    const auto most = static_cast<std::size_t>(request.params["pieces"]);
    return Planned::of(request, gpu::offload::pieces_worth_it(bytes, most),
                       gpu::offload::kMostPiece);
  }

  /// Any types of these widths.
  template <class Key, class Value>
  static std::size_t workspace_bytes(const gpu::offload::PiecePlan& plan, int sorters) {
    using CpuSort = gpu::hybrid::CpuSort<Key, Value>;
    return gpu::hybrid::Workspace<CpuSort>(plan, sorters).bytes;
  }
};
SORTLAB_REGISTER(Hybrid, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Sorts one piece after the other on the GPU: while one is sorted, the next arrives and the last one leaves.
//
//   step        0      1      2      3      4
//   link, in    [0]    [1]    [2]
//   GPU                [0]    [1]    [2]            four buffers: one arrives, one is sorted with a
//   link, out                 [0]    [1]    [2]     second one, one leaves
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/offload/bits_job.hpp"
#include "gpu/primitives/offload/link.cuh"

namespace sortlab::gpu::offload {

/// A run of n items in host memory.
template <class Items>
struct Run {
  Items items;
  std::size_t n;
};

/// A piece to sort: where its items are, and where the result belongs.
template <class Items>
struct Piece {
  std::vector<Run<Items>> from;
  Items to;
  std::size_t n;
};

/// The device memory of a pipeline for pieces of at most `most` items. `Sort` is a device sort with `workspace_bytes` and
/// `sort` as Chosen has them.
template <class Items, class Sort>
class Buffers {
 public:
  static constexpr std::size_t kCount = 4;

  Buffers(std::size_t most, std::size_t count, std::byte* base = nullptr) {
    Layout layout(base);
    for (std::size_t i = 0; i < count; ++i) {
      items_[i].keys = layout.take<typename Items::Key>(most);
      if constexpr (Items::kPairs) items_[i].values = layout.take<typename Items::Value>(most);
    }
    workspace_ = {layout.take<std::byte>(workspace_bytes(most)), workspace_bytes(most)};
    bytes_ = layout.bytes();
  }

  const Items& operator[](std::size_t i) const { return items_[i]; }
  std::span<std::byte> workspace() const { return workspace_; }
  std::size_t bytes() const { return bytes_; }

 private:
  /// The pieces of a plan have two sizes.
  static std::size_t workspace_bytes(std::size_t most) {
    const Params none;
    const auto of = [&](std::size_t n) {
      return Sort::workspace_bytes(
          {n, sizeof(typename Items::Key), kValueBytes<typename Items::Value>, 0, none});
    };
    return std::max(of(most), of(most - std::min<std::size_t>(most, 1)));
  }

  Items items_[kCount];
  std::span<std::byte> workspace_;
  std::size_t bytes_;
};

template <class Items, class Sort>
class Pipeline {
 public:
  using Piece = offload::Piece<Items>;
  using Buffers = offload::Buffers<Items, Sort>;

  /// Sorts pieces of at most `most` items of `job` with the GPU.
  template <class Job>
  Pipeline(const OffloadGpu& gpu, const Job& job, std::size_t most)
      : kind_(job.kind),
        device_(gpu.device),
        link_(gpu, job.pinned),
        work_(gpu.streams.work),
        buffers_(most, Buffers::kCount, gpu.memory.data()) {}

  /// Sorts the pieces that `take()` returns, in order, until it returns none. Any thread may call this, whatever its
  /// current GPU is.
  void run(const std::function<std::optional<Piece>()>& take) {
    const OnDevice here(device_);
    std::optional<Piece> arriving, sorting, leaving;
    while ((arriving = take()) || sorting || leaving) {
      Stretches in, out;
      if (arriving) add_arrival(in, *arriving);
      if (leaving) add_items(out, leaving->to, buffers_[leaving_], leaving->n);
      link_.carry(in, out, [&] {
        if (sorting && sort(sorting->n) == ResultIn::alternate) std::swap(sorting_, alternate_);
      });
      check(cudaStreamSynchronize(work_), "the sort of a piece");
      leaving = std::move(sorting);
      sorting = std::move(arriving);
      // What has left makes room for the next arrival.
      const std::size_t free = std::exchange(leaving_, std::exchange(sorting_, arriving_));
      arriving_ = std::exchange(alternate_, free);
    }
  }

 private:
  void add_arrival(Stretches& in, const Piece& piece) const {
    std::size_t at = 0;
    for (const Run<Items>& run : piece.from) {
      add_items(in, buffers_[arriving_].from(at), run.items, run.n);
      at += run.n;
    }
  }

  ResultIn sort(std::size_t n) const {
    return Sort::sort(kind_, buffers_[sorting_], buffers_[alternate_], n, buffers_.workspace(),
                      work_);
  }

  KeyKind kind_;
  int device_;
  Link link_;
  cudaStream_t work_;
  Buffers buffers_;
  std::size_t arriving_ = 0, sorting_ = 1, alternate_ = 2, leaving_ = 3;  // buffers
};

}  // namespace sortlab::gpu::offload

// A sort of more items than the GPU has memory for: two crossings of the link, each in both directions at once.
//
//   host data      | 5 2 9 1 | 7 3 8 0 | 6 4 2 5 |
//   pass 1           sort each piece on the GPU
//                  | 1 2 5 9 | 0 3 7 8 | 2 4 5 6 |     sorted runs, in their places
//   cuts             exact ranks n/P, 2n/P, ...
//                  | 1 2 : 5 : 9 | 0 : 3 : 7 8 | 2 : 4 5 : 6 |
//   pass 2           gather bucket k from all runs, sort it on the GPU
//   host alternate | 0 1 2 2 | 3 4 5 5 | 6 7 8 9 |
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/threads/first_failure.hpp"
#include "common/threads/team.hpp"
#include "common/utils.hpp"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/offload/pipeline.cuh"

namespace sortlab::gpu::offload {

// How n items in host memory are cut into pieces that a limited amount of device memory can hold. Needs no CUDA.

/// n items in pieces that are as even as can be.
struct PiecePlan {
  std::size_t n;
  std::size_t pieces;

  std::size_t begin(std::size_t piece) const {
    return n / pieces * piece + n % pieces * piece / pieces;
  }
  std::size_t size(std::size_t piece) const { return begin(piece + 1) - begin(piece); }
  /// The items of the largest piece.
  std::size_t most() const { return ceil_div(n, pieces); }
};

/// With more pieces, the second crossing would copy a million and more short stretches.
inline constexpr std::size_t kMostPieces = 1024;

/// Below this many bytes a piece is not worth a step of the pipeline.
inline constexpr std::size_t kLeastPiece = std::size_t{4} << 20;
/// Pieces that must be smaller than wanted, to fit the GPU, have this many bytes at most: small ones overlap better.
inline constexpr std::size_t kMostPiece = std::size_t{512} << 20;

/// At most `most` pieces of `bytes` in all, none too small to be worth it.
inline std::size_t pieces_worth_it(std::size_t bytes, std::size_t most) {
  return std::clamp<std::size_t>(bytes / kLeastPiece, 1, std::min(most, kMostPieces));
}

/// The fewest pieces that fit: at least `least`, and `device_bytes(plan)` is at most `budget`. Throws BadInput where
/// kMostPieces do not fit.
template <class DeviceBytes>
PiecePlan plan_pieces(std::size_t n, std::size_t least, std::size_t budget,
                      const DeviceBytes& device_bytes) {
  const auto in_mib = [](std::size_t bytes) { return std::to_string(ceil_div(bytes, 1u << 20)); };
  PiecePlan plan{n, std::max<std::size_t>(least, 1)};
  for (; plan.pieces <= kMostPieces; ++plan.pieces) {
    if (device_bytes(plan) <= budget) return plan;
  }
  plan.pieces = kMostPieces;
  throw BadInput("needs " + in_mib(device_bytes(plan)) +
                 " MiB of GPU memory for so many keys, may take " + std::to_string(budget >> 20));
}

// Cuts sorted runs at a rank: what merge sorts call multisequence selection. Needs no CUDA.
//
//   run 0  | 1 3 3 | 7 9       rank 5 of the merged runs: the five items left of the cuts come first.
//   run 1  | 2 | 3 8           Equal keys are cut in the order of the runs, so a sort in pieces is stable.
//   run 2  | 2... |
//
// The cut key is found bit by bit, from the highest; each bit takes a binary search in every run, in a window that
// shrinks. So any rank can be cut exactly, whatever the keys are, and all buckets have the same size.
// Source: Varman et al. 1991, for the problem; the search by bits is our own.

/// Writes to cuts[p] how many items of run p are among the first `rank` of all. The runs are the pieces of `plan`, each
/// sorted.
template <class Bits>
void cut_runs(const Bits* keys, KeyMap<Bits> map, const PiecePlan& plan, std::size_t rank,
              std::span<std::size_t> cuts) {
  const auto first_from = [&](std::size_t run, Bits bound, std::size_t low, std::size_t high) {
    const Bits* const begin = keys + plan.begin(run);
    const Bits* const found = std::partition_point(
        begin + low, begin + high, [&](Bits key) { return map.ordered(key) < bound; });
    return static_cast<std::size_t>(found - begin);
  };

  // Invariant: below cuts[p] run p has only keys before `cut_key`, and cuts[p] add up to at most `rank`.
  std::vector<std::size_t> high(plan.pieces), middle(plan.pieces);
  for (std::size_t run = 0; run < plan.pieces; ++run) {
    cuts[run] = 0;
    high[run] = plan.size(run);
  }
  Bits cut_key = 0;
  for (Bits bit = Bits{1} << (8 * sizeof(Bits) - 1); bit != 0; bit >>= 1) {
    std::size_t before = 0;
    for (std::size_t run = 0; run < plan.pieces; ++run) {
      middle[run] = first_from(run, cut_key | bit, cuts[run], high[run]);
      before += middle[run];
    }
    if (before <= rank) {
      cut_key |= bit;
      std::copy(middle.begin(), middle.end(), cuts.begin());
    } else {
      high.swap(middle);
    }
  }
  // Between cuts[p] and high[p], run p has keys equal to cut_key.
  std::size_t missing = rank;
  for (const std::size_t cut : cuts) missing -= cut;
  for (std::size_t run = 0; run < plan.pieces; ++run) {
    const std::size_t taken = std::min(missing, high[run] - cuts[run]);
    cuts[run] += taken;
    missing -= taken;
  }
}

/// The cuts of all runs at the begin of each bucket.
class Cuts {
 public:
  static std::size_t bytes(const PiecePlan& plan) {
    return plan.pieces == 1 ? 0 : (plan.pieces + 1) * plan.pieces * sizeof(std::size_t);
  }

  /// `workspace` has bytes(plan) bytes.
  Cuts(const PiecePlan& plan, std::span<std::byte> workspace)
      : plan_(plan), cuts_(reinterpret_cast<std::size_t*>(workspace.data())) {}

  template <class Job>
  void find(const Job& job) {
    const auto map = key_map_of<typename Job::Key>(job.kind);
    threads::for_each_part(plan_.pieces + 1, job.threads, [&](std::size_t bucket, int) {
      cut_runs(job.data.keys, map, plan_, plan_.begin(bucket),
               {cuts_ + bucket * plan_.pieces, plan_.pieces});
    });
  }
  /// In run `run`, where bucket `bucket` begins.
  std::size_t at(std::size_t bucket, std::size_t run) const {
    return cuts_[bucket * plan_.pieces + run];
  }

 private:
  PiecePlan plan_;
  std::size_t* cuts_;
};

/// How a request's items are cut, and the memory that this takes.
template <class Sort>
struct Planned {
  PiecePlan plan;
  OffloadNeeds needs;

  /// In `least` pieces if these fit; if not, in more of at most `most_bytes` each: small pieces overlap better. Throws
  /// BadInput if the device memory is too small.
  static Planned of(const OffloadRequest& request, std::size_t least, std::size_t most_bytes) {
    const auto planned = [&]<class Bits, class Value>(Bits, Value) {
      return make<Items<Bits, Value>>(request, least, most_bytes);
    };
    return visit_widths(request.key_bytes, request.value_bytes, planned);
  }

 private:
  template <class Items>
  static Planned make(const OffloadRequest& r, std::size_t least, std::size_t most_bytes) {
    const auto device_bytes = [](const PiecePlan& plan) {
      const std::size_t buffers = plan.pieces == 1 ? 2 : Buffers<Items, Sort>::kCount;
      return Buffers<Items, Sort>(plan.most(), buffers).bytes();
    };
    PiecePlan plan{r.n, least};
    if (device_bytes(plan) > r.device_bytes) {
      const std::size_t small = ceil_div(r.n * (r.key_bytes + r.value_bytes), most_bytes);
      plan =
          plan_pieces(r.n, std::max({least, small, std::size_t{2}}), r.device_bytes, device_bytes);
    }
    return {plan,
            {.device_bytes = device_bytes(plan),
             .pinned_bytes = Link::pinned_bytes(r.pinned, std::max(1, r.threads / r.gpus)),
             .workspace_bytes = Cuts::bytes(plan)}};
  }
};

/// Piece i of pass 1: a run, in its place.
template <class Job>
auto run_of(const Job& job, const PiecePlan& plan, std::size_t i) {
  const std::size_t n = plan.size(i);
  const auto items = job.data.from(plan.begin(i));
  return Piece<decltype(Job::data)>{{{items, n}}, items, n};
}

/// Piece i of pass 2: a bucket, out of all runs.
template <class Job>
auto bucket_of(const Job& job, const PiecePlan& plan, const Cuts& cuts, std::size_t i) {
  using Items = decltype(Job::data);
  Piece<Items> bucket{{}, job.alternate.from(plan.begin(i)), plan.size(i)};
  for (std::size_t run = 0; run < plan.pieces; ++run) {
    const std::size_t begin = cuts.at(i, run), end = cuts.at(i + 1, run);
    bucket.from.push_back({job.data.from(plan.begin(run) + begin), end - begin});
  }
  return bucket;
}

/// All items fit: in, sort, out.
template <class Sort, class Job>
ResultIn sort_at_once(const Job& job) {
  using Items = decltype(Job::data);
  const OffloadGpu& gpu = job.gpus.front();
  const Buffers<Items, Sort> buffers(job.n, 2, gpu.memory.data());
  Link link(gpu, job.pinned);
  Stretches in, out;
  add_items(in, buffers[0], job.data, job.n);
  link.carry(in, {}, [] {});
  const ResultIn landed =
      Sort::sort(job.kind, buffers[0], buffers[1], job.n, buffers.workspace(), gpu.streams.work);
  check(cudaStreamSynchronize(gpu.streams.work), "the sort");
  add_items(out, job.data, buffers[landed == ResultIn::data ? 0 : 1], job.n);
  link.carry({}, out, [] {});
  return ResultIn::data;
}

/// One pass over the pieces 0 .. count-1: each pipeline, on a thread of its own, takes the next one until none is left.
template <class Pipeline, class PieceOf>
void run_pass(std::deque<Pipeline>& pipelines, std::size_t count, const PieceOf& piece_of) {
  std::atomic<std::size_t> next = 0;
  threads::FirstFailure failure;
  const auto drive = [&](Pipeline& pipeline) {
    failure.guard([&] {
      pipeline.run([&] {
        const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
        return i < count ? std::optional(piece_of(i)) : std::nullopt;
      });
    });
  };
  {
    std::vector<std::jthread> others;
    for (Pipeline& pipeline : pipelines | std::views::drop(1)) {
      others.emplace_back([&] { drive(pipeline); });
    }
    drive(pipelines.front());
  }
  failure.rethrow();
}

/// Sorts the items of a BitsJob with the device sort `Sort` on all of the job's GPUs.
template <class Sort, class Job>
ResultIn sort_in_pieces(const Job& job, const PiecePlan& plan) {
  if (job.n == 0) return ResultIn::data;
  if (plan.pieces == 1) return sort_at_once<Sort>(job);
  std::deque<Pipeline<decltype(Job::data), Sort>> pipelines;
  for (const OffloadGpu& gpu : job.gpus) pipelines.emplace_back(gpu, job, plan.most());
  run_pass(pipelines, plan.pieces, [&](std::size_t i) { return run_of(job, plan, i); });
  Cuts cuts(plan, job.workspace);
  cuts.find(job);
  run_pass(pipelines, plan.pieces, [&](std::size_t i) { return bucket_of(job, plan, cuts, i); });
  return ResultIn::alternate;
}

}  // namespace sortlab::gpu::offload

// Top-k on a GPU as functions with plain arguments, for the suite's variants and for the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/key_map.hpp"
#include "common/contract/top_k.hpp"

namespace sortlab::gpu::topk {

/// Rows in device memory, whose best items are wanted; top.ks lies there, too. Rows have fewer than 2^32 - 1 keys.
struct Call {
  KeyKind keys;
  const void* d_keys = nullptr;  // stay as they are
  Rows rows;
  Top top;
  // Of row r: from r times the smaller of top.k and rows.length on. Each may be null.
  void* d_best = nullptr;
  std::uint32_t* d_places = nullptr;
  std::uint64_t* d_wide_places = nullptr;
  bool nans_last = false;   // behind the numbers in both orders, whatever their sign
  bool nans_first = false;  // before them
  bool are_ranks = false;   // of floats, NaNs last: -0 and 0 are equal, and all NaNs
  std::byte* d_workspace = nullptr;
  Stream stream = nullptr;

  std::size_t room() const { return top.k < rows.length ? top.k : rows.length; }
};

/// Of a job of the suite.
template <class Job>
Call call_of(const Job& job) {
  Call call{.keys = kind_of(job),
            .d_keys = job.data.keys,
            .rows = job.rows,
            .top = job.top,
            .d_best = job.alternate.keys,
            .d_workspace = job.workspace.data(),
            .stream = job.stream};
  if constexpr (Job::kPairs) call.d_places = job.alternate.values;
  return call;
}

/// Whether the current device runs clusters of blocks.
bool has_clusters();

/// None waits for anything, so all can be captured. top.is_sorted and top.is_first say what the caller needs: where they
/// are false, a sort may give the best in another order, and of equal keys any.

/// The fastest for the shape. Takes any k, and no rows.
namespace choice {
std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows, std::size_t k);
void find(const Call& call);
}  // namespace choice

/// The fewest best items of each row whose weights, f32 or f64, sum to p, but at most top.k: as if of choice, with the
/// largest first. Weights that are not above 0, NaNs too, add nothing.
namespace top_p {
struct Sum {
  float p = 1;
  const float* d_ps = nullptr;  // of each row; null: p
  std::uint32_t* d_counts =
      nullptr;  // of each row, how many items these are; those behind them are the next best
};
/// Takes the workspace of choice; d_best is needed.
void find(Call call, const Sum& sum);
}  // namespace top_p

namespace tournament {
/// With clusters more than without: has_clusters().
bool can_find(std::size_t key_bytes, const Rows& rows, std::size_t k, bool has_clusters);
/// Whether a cluster of blocks takes each row where any order will do.
bool takes_cluster(std::size_t key_bytes, std::size_t rows, std::size_t length, std::size_t k);
std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows, std::size_t k);
void find(const Call& call);
}  // namespace tournament

/// For rows of many keys.
namespace select {
bool can_find(std::size_t key_bytes, std::size_t length, std::size_t k);
std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows, std::size_t k);
void find(const Call& call);
}  // namespace select

/// Always sorted, and the first places. Fewer than 2^32 keys in all.
namespace sort {
std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows);
void find(const Call& call);
}  // namespace sort

}  // namespace sortlab::gpu::topk

// The fastest top-k of this suite for the shape of the rows and k: one entry for users.
//
// A choice is a few comparisons on the host. It knows nothing of the keys.
//
// Any k, stable. Extra memory: the chosen sort's.
// Source: our own.
#include <algorithm>

#include "gpu/topk/calls.hpp"

namespace sortlab {
namespace gpu::topk::choice {
namespace {

/// measured: us, select vs tournament, f32: 64 rows of 131,072, k = 2048: 46 vs 90, k = 50: 31 vs 27; 512 such rows, k = 50:
/// 131 vs 126; 64 rows of 1M, k = 1000: 115 vs 236; one row of 16M, k = 50: 67 vs 49; H200, h200/attempts/top_k.2.txt.
/// One row of 131,072, k = 256: 18 vs 17, and 16 unsorted; of 1M: 21 vs 24, and 18; 512 rows of 32,768, k = 2048: 119 vs 149;
/// top_k.3.txt.xz
bool selects(std::size_t key_bytes, const Rows& rows, std::size_t k, bool is_sorted,
             bool has_clusters) {
  constexpr std::size_t kMany = std::size_t{1} << 26, kLong = std::size_t{1} << 16;
  constexpr std::size_t kMuch = 512, kHeld = std::size_t{1} << 14;
  const std::size_t keys = rows.length * rows.count;
  if (!select::can_find(key_bytes, rows.length, k) || k >= rows.length / 2) return false;
  const bool takes_cluster =
      has_clusters && tournament::takes_cluster(key_bytes, rows.count, rows.length, k);
  if (!is_sorted && takes_cluster) return false;
  if (!tournament::can_find(key_bytes, rows, k, has_clusters)) return true;
  if (key_bytes == 4 && rows.count == 1 && rows.length > kHeld && k >= kMuch / 2) return true;
  if (k > kMuch && rows.length >= kLong / 2 && keys >= kMany / 32) return true;
  return rows.length >= kLong && (k > kMuch || keys > kMany);
}

}  // namespace

std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows, std::size_t k) {
  const std::size_t least = std::min(k, rows.length);
  if (rows.count == 0 || least == 0) return 0;
  const auto bytes = [&](bool is_sorted, bool has_clusters) {
    if (selects(key_bytes, rows, least, is_sorted, has_clusters)) {
      return select::workspace_bytes(key_bytes, rows, least);
    }
    return tournament::can_find(key_bytes, rows, least, has_clusters)
               ? tournament::workspace_bytes(key_bytes, rows, least)
               : sort::workspace_bytes(key_bytes, rows);
  };
  // Of all GPUs: whose array it is may not be known yet.
  return std::max({bytes(false, false), bytes(false, true), bytes(true, false), bytes(true, true)});
}

void find(const Call& call) {
  if (call.rows.count == 0 || call.room() == 0) return;
  const std::size_t key_bytes = bytes_of(call.keys.type);
  const bool clusters = has_clusters();
  if (selects(key_bytes, call.rows, call.room(), call.top.is_sorted, clusters)) {
    return select::find(call);
  }
  tournament::can_find(key_bytes, call.rows, call.room(), clusters) ? tournament::find(call)
                                                                    : sort::find(call);
}

}  // namespace gpu::topk::choice

namespace {

struct TopKAuto {
  using JobKind = TopK;
  static constexpr Info info{.summary = "the fastest for the rows and k",
                             .source = "our own",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const TopKRequest& request) {
    return gpu::topk::choice::workspace_bytes(request.array.key_bytes, request.rows, request.top.k);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::topk::choice::find(gpu::topk::call_of(job));
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKAuto, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

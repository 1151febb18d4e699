// Sorts one segment with cpu/auto, which calls the suite's fastest sort of one array.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/contract/segments.hpp"
#include "cpu/auto/sorts.hpp"
#include "cpu/primitives/parallel.hpp"

namespace sortlab::cpu::segments {

/// The workspace that one_segment() takes for up to `longest` items, by `threads`: a multiple of 256 bytes. The sort that
/// cpu/auto chooses changes with n, so a smaller n may need more.
inline std::size_t workspace_of_one(std::size_t longest, std::size_t key_bytes,
                                    std::size_t value_bytes, int threads) {
  std::size_t most = 0;
  const auto add = [&](std::size_t n) {
    if (n > longest) return;
    most = std::max(most, fastest::stable::workspace_bytes(n, key_bytes, value_bytes, threads, {}));
  };
  add(longest);
  for (std::size_t n = 2; n <= longest; n *= 2) {
    for (const std::size_t near : {n - 1, n, n + 1, n + n / 2}) add(near);
  }
  return (most + 255) / 256 * 256;
}

/// One segment of a job that a thread sorts, or several do.
struct OneSegment {
  fastest::Code code;
  std::byte* workspace;
  std::size_t workspace_bytes;
  int threads;
  Isa isa;

  template <class Job>
  static OneSegment of(const Job& job, int threads, std::byte* workspace, std::size_t bytes) {
    const auto code = fastest::stable::codes(key_type_of<typename Job::Key>(),
                                             kValueBytes<typename Job::Value>, Job::kOrder);
    return {code, workspace, bytes, threads, job.isa};
  }

  /// The result is in `items`.
  template <class AnyItems>
  void sort(AnyItems items, AnyItems other, std::size_t n) const {
    if (n < 2) return;
    const ResultIn in =
        fastest::sort(code, items, other, n, {workspace, workspace_bytes}, threads, isa);
    if (in == ResultIn::data) return;
    std::copy_n(other.keys, n, items.keys);
    if constexpr (AnyItems::kPairs) std::copy_n(other.values, n, items.values);
  }

  /// The same for a segment of a job.
  template <class Job>
  void sort_part(const Job& job, std::size_t begin, std::size_t end) const {
    sort(job.data.from(begin), job.alternate.from(begin), end - begin);
  }
};

/// Deals the segments to threads, some at a time: calls sort_some(first, last, one) for the segments [first, last), with
/// an OneSegment of the thread that takes them. The workspace is as large as workspace_of_one() says for each thread.
template <class Job, class SortSome>
void deal_segments(const Job& job, SortSome sort_some) {
  namespace parallel = primitives::parallel;
  const std::size_t share =
      job.workspace.size() / static_cast<std::size_t>(job.threads) / 256 * 256;
  const int threads =
      parallel::at_hand(parallel::threads_for(job.n, parallel::kItemsPerThread, job.threads));
  const std::size_t parts = std::min<std::size_t>(
      job.cut.count, threads == 1 ? 1 : static_cast<std::size_t>(threads) * 64);
  parallel::for_each_part(parts, threads, [&](std::size_t part, int t) {
    const auto one =
        OneSegment::of(job, 1, job.workspace.data() + static_cast<std::size_t>(t) * share, share);
    sort_some(job.cut.count * part / parts, job.cut.count * (part + 1) / parts, one);
  });
}

}  // namespace sortlab::cpu::segments

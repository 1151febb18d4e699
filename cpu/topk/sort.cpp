// Sort and cut: each row is copied and sorted by cpu/auto, and its first k items are the result.
//
// The first rung, and what a program does that has no top-k. Threads take rows.
//
// Any k, stable. Extra memory for each thread: two rows, and the workspace of a sort of one.
// Source: textbook.
#include <algorithm>
#include <numeric>

#include "common/contract/top_k.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/segments/one_segment.hpp"

namespace sortlab {
namespace {
namespace parallel = cpu::primitives::parallel;

struct TopKSort {
  using JobKind = TopK;
  static constexpr Info info{.summary = "a copy of each row by cpu/auto, then its first k",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t share(std::size_t length, std::size_t key_bytes, std::size_t value_bytes,
                           std::size_t sorting) {
    return 2 * aligned(length * key_bytes) + 2 * aligned(length * value_bytes) + sorting;
  }
  static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  static std::size_t workspace_bytes(const TopKRequest& request) {
    const WorkspaceRequest& array = request.array;
    return share(request.rows.length, array.key_bytes, array.value_bytes,
                 cpu::segments::workspace_of_one(request.rows.length, array.key_bytes,
                                                 array.value_bytes, 1)) *
           static_cast<std::size_t>(array.threads);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const std::size_t length = job.rows.length,
                      one =
                          job.workspace.size() / static_cast<std::size_t>(job.threads) / 256 * 256;
    const int threads = parallel::threads_for(job.rows.count * length, 4096, job.threads);
    using AnyItems = Items<typename Job::Key, typename Job::Value>;
    parallel::for_each_part(job.rows.count, threads, [&](std::size_t r, int t) {
      std::byte* at = job.workspace.data() + static_cast<std::size_t>(t) * one;
      const std::byte* const end = at + one;
      const auto take = [&]<class T>(T*& to, std::size_t bytes_of_one) {
        to = reinterpret_cast<T*>(at);
        at += aligned(length * bytes_of_one);
      };
      AnyItems row, other;
      take(row.keys, sizeof(typename Job::Key));
      take(other.keys, sizeof(typename Job::Key));
      if constexpr (Job::kPairs) {
        take(row.values, sizeof(typename Job::Value));
        take(other.values, sizeof(typename Job::Value));
        std::iota(row.values, row.values + length, typename Job::Value{0});
      }
      std::copy_n(job.data.keys + r * job.rows.stride, length, row.keys);
      cpu::segments::OneSegment::of(job, 1, at, static_cast<std::size_t>(end - at))
          .sort(row, other, length);
      const auto best = job.alternate.from(r * job.room());
      for (std::size_t i = 0; i < job.k_of(r); ++i) best.put(i, row[i]);
    });
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

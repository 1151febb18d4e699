// One sort of all items by (segment, key): the obvious way to sort segments with a sort that knows none.
//
// Beside the ladder, as what a user does today: the number of the segment goes in front of the key, in one number of 8
// bytes, and cpu/auto sorts them all. A key is compared with those of all segments, so short segments cost as much as
// long ones, and each item moves twice as many bytes.
//
// Keys of 4 bytes. Stable. Extra memory: two buffers of n numbers of 8 bytes, and n values.
// Source: textbook.
#include <algorithm>

#include "common/contract/segments.hpp"
#include "common/utils.hpp"
#include "cpu/segments/one_segment.hpp"

namespace sortlab {
namespace {

struct SegmentsOneSort {
  using JobKind = Segments;
  static constexpr Info info{.summary = "one sort of all items by (segment, key)",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};
  static constexpr std::size_t kAlign = 256;

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    const WorkspaceRequest& array = request.array;
    return 2 * round_up(array.n * sizeof(std::uint64_t), kAlign) +
           round_up(array.n * array.value_bytes, kAlign) +
           cpu::segments::workspace_of_one(array.n, sizeof(std::uint64_t), array.value_bytes,
                                           array.threads);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Value = typename Job::Value;
    using WideItems = Items<std::uint64_t, Value>;
    std::byte* at = job.workspace.data();
    const auto keys = [&] {
      auto* const taken = reinterpret_cast<std::uint64_t*>(at);
      at += round_up(job.n * sizeof(std::uint64_t), kAlign);
      return taken;
    };
    WideItems items{keys(), nullptr}, other{keys(), nullptr};
    if constexpr (Job::kPairs) {
      items.values = reinterpret_cast<Value*>(at);
      at += round_up(job.n * sizeof(Value), kAlign);
      other.values = job.alternate.values;
    }
    std::size_t n = 0;
    for (std::size_t s = 0; s < job.cut.count; ++s) {
      for (std::size_t i = job.cut.begin(s); i < job.cut.end(s); ++i, ++n) {
        const auto item = job.data[i];
        items.put(n, {static_cast<std::uint64_t>(s) << 32 |
                          to_radix_bits<typename Job::Key, Job::kOrder>(item.key),
                      item.value});
      }
    }
    const auto code =
        cpu::fastest::stable::codes(KeyType::u64, kValueBytes<Value>, Order::ascending);
    const auto used = static_cast<std::size_t>(at - job.workspace.data());
    cpu::segments::OneSegment{code, at, job.workspace.size() - used, job.threads, job.isa}.sort(
        items, other, n);
    n = 0;
    for (std::size_t s = 0; s < job.cut.count; ++s) {
      for (std::size_t i = job.cut.begin(s); i < job.cut.end(s); ++i, ++n) {
        const auto item = items[n];
        job.data.put(
            i,
            {from_radix_bits<typename Job::Key, Job::kOrder>(static_cast<std::uint32_t>(item.key)),
             item.value});
      }
    }
    return ResultIn::data;
  }
};
using FourByteKeys = TypeList<std::uint32_t, std::int32_t, float>;
SORTLAB_REGISTER(SegmentsOneSort, FourByteKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab

// Sorts one segment with cpu/auto, which calls the suite's fastest sort of one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "common/contract/made_once.hpp"
#include "common/contract/segments.hpp"

namespace sortlab::cpu::segments {

inline constinit MadeOnce<const Variant* const> variant_of_one_array;

inline const Variant& one_array_variant() {
  return *variant_of_one_array.get([] {
    const Variant* const variant = find_variant("cpu/auto/auto");
    if (variant == nullptr) throw std::runtime_error("this program holds no cpu/auto/auto");
    return variant;
  });
}

/// The workspace that one_segment() takes for up to `longest` items, by `threads`: a multiple of 256 bytes. The sort that
/// cpu/auto chooses changes with n, so a smaller n may need more.
inline std::size_t workspace_of_one(const WorkspaceRequest& array, std::size_t longest,
                                    int threads) {
  const Params none;
  std::size_t most = 0;
  const auto add = [&](std::size_t n) {
    if (n > longest) return;
    most = std::max(most, one_array_variant().workspace_bytes(
                              {n, array.key_bytes, array.value_bytes, threads, none}));
  };
  add(longest);
  for (std::size_t n = 2; n <= longest; n *= 2) {
    for (const std::size_t near : {n - 1, n, n + 1, n + n / 2}) add(near);
  }
  return (most + 255) / 256 * 256;
}

/// One segment of a job that a thread sorts, or several do.
struct OneSegment {
  const Instance* code;
  std::byte* workspace;
  std::size_t workspace_bytes;
  int threads;
  Isa isa;

  template <class Job>
  static OneSegment of(const Job& job, int threads, std::byte* workspace, std::size_t bytes) {
    const Instance* const code = one_array_variant().instance(
        key_type_of<typename Job::Key>(), kValueBytes<typename Job::Value>, Job::kOrder);
    return {code, workspace, bytes, threads, job.isa};
  }

  /// The result is in `items`.
  template <class AnyItems>
  void sort(AnyItems items, AnyItems other, std::size_t n) const {
    if (n < 2) return;
    const Params none;
    const ResultIn in = code->sort(ErasedJob{.instance = code,
                                             .keys = items.keys,
                                             .values = items.values,
                                             .alternate_keys = other.keys,
                                             .alternate_values = other.values,
                                             .n = n,
                                             .workspace = {workspace, workspace_bytes},
                                             .threads = threads,
                                             .isa = isa,
                                             .stream = nullptr,
                                             .params = &none});
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

}  // namespace sortlab::cpu::segments

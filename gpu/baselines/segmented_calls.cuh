// What the segmented sorts of CUB need of a job: the offsets as iterators, and the memory.
#pragma once

#include <cuda/std/iterator>

#include <algorithm>
#include <cub/util_type.cuh>
#include <cub/version.cuh>

#include "common/contract/errors.hpp"
#include "common/contract/segments.hpp"
#include "common/cuda_check.hpp"
#include "gpu/primitives/library_version.cuh"

namespace sortlab::gpu::baselines {

/// The begins of segments, or the ends, as a random access iterator.
class SegmentNumbers {
 public:
  using iterator_category = cuda::std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using pointer = const std::int64_t*;
  using reference = std::int64_t;

  SegmentNumbers(const Cut& cut, bool are_ends) : cut_(cut), are_ends_(are_ends) {}

  SORTLAB_HD std::int64_t operator[](std::int64_t i) const {
    const auto s = static_cast<std::size_t>(at_ + i);
    return static_cast<std::int64_t>(are_ends_ ? cut_.end(s) : cut_.begin(s));
  }
  SORTLAB_HD std::int64_t operator*() const { return (*this)[0]; }
  SORTLAB_HD SegmentNumbers operator+(std::int64_t further) const {
    SegmentNumbers other = *this;
    other.at_ += further;
    return other;
  }
  SORTLAB_HD SegmentNumbers& operator+=(std::int64_t further) {
    at_ += further;
    return *this;
  }

 private:
  Cut cut_;
  bool are_ends_;
  std::int64_t at_ = 0;
};

/// Keys that these baselines are compiled for: each takes CUB many kernels.
using SegmentedKeys = TypeList<std::uint32_t, std::uint64_t, float>;

/// Calls sort(temp, bytes, keys, values, begins, ends) with the buffers of a job. The result may be in the alternate
/// ones, so items of no segment can only be the last ones behind rows.
template <class Job, class Sort>
ResultIn sort_segments_by_cub(const Job& job, Sort sort) {
  const Cut& cut = job.cut;
  const std::size_t width = cut.is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  if (cut.is_rows() ? cut.stride != cut.length
                    : cut.begins == nullptr ||
                          static_cast<const std::byte*>(cut.begins) + width != cut.ends) {
    throw BadInput("CUB's result may be in another array: only for segments without gaps");
  }
  cub::DoubleBuffer<typename Job::Key> keys(job.data.keys, job.alternate.keys);
  cub::DoubleBuffer<typename Job::Value> values(job.data.values, job.alternate.values);
  std::size_t bytes = job.workspace.size();
  check(sort(job.workspace.data(), bytes, keys, values, SegmentNumbers(cut, false),
             SegmentNumbers(cut, true)),
        "CUB's segmented sort");
  if (keys.Current() == job.data.keys) return ResultIn::data;
  if (cut.is_rows()) {
    const std::size_t sorted = cut.count * cut.length;
    const auto copy = [&](auto* to, const auto* from) {
      check(cudaMemcpyAsync(to + sorted, from + sorted, (job.n - sorted) * sizeof(*to),
                            cudaMemcpyDeviceToDevice, job.stream),
            "cudaMemcpyAsync");
    };
    if (sorted < job.n) {
      copy(job.alternate.keys, job.data.keys);
      if constexpr (Job::kPairs) copy(job.alternate.values, job.data.values);
    }
  }
  return ResultIn::alternate;
}

/// The larger workspace of ascending numbers, as CUB tunes integers and floats of one size separately.
/// bytes_of(key, value) asks CUB.
template <class BytesOf>
std::size_t segmented_bytes(const SegmentsRequest& request, BytesOf bytes_of) {
  return visit_value_type(request.array.value_bytes, [&](auto value) {
    if (request.array.key_bytes == 8) return bytes_of(std::uint64_t{}, value);
    return std::max(bytes_of(std::uint32_t{}, value), bytes_of(float{}, value));
  });
}

/// The base of CUB's sorts of segments: what they need and how they sort, by Own::call().
template <class Own>
struct SegmentedByCub {
  using JobKind = Segments;

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    return segmented_bytes(request, [&]<class Key, class Value>(Key, Value) {
      cub::DoubleBuffer<Key> keys;
      cub::DoubleBuffer<Value> values;
      std::size_t bytes = 0;
      const SegmentNumbers none({}, false);
      check(Own::template call<Order::ascending>(nullptr, bytes, keys, values, request.array.n,
                                                 request.count, none, none, nullptr),
            "CUB's segmented sort");
      return bytes;
    });
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    if (job.n == 0 || job.cut.count == 0) return ResultIn::data;
    return sort_segments_by_cub(job, [&](void* temp, std::size_t& bytes, auto& keys, auto& values,
                                         SegmentNumbers begins, SegmentNumbers ends) {
      return Own::template call<Job::kOrder>(temp, bytes, keys, values, job.n, job.cut.count,
                                             begins, ends, job.stream);
    });
  }
};

}  // namespace sortlab::gpu::baselines

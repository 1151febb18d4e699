// What a sort of segments is: the contract of variants that sort many parts of one array, each for itself.
//
// It stands beside Job (variant.hpp), with the same rules:
//
//   struct Loop {
//     using JobKind = Segments;
//     static constexpr Info info{.summary = "...", .stable = true};
//     static size_t workspace_bytes(const SegmentsRequest&);
//     template <class Job>
//     static ResultIn sort(const Job& job);
//   };
//   SORTLAB_REGISTER(Loop, AllKeys, KeysAndPairs);
//
// `sort` is instantiated for each SegmentsJob<Key, Value, order>. job.cut says where the segments lie. Rows are
// segments that follow a rule, so they are no kind of their own: only the cut differs.
//
//   rows      | row 0 |pad| row 1 |pad| ..     row s begins at s * stride; all have one length, or `ends` says it
//   offsets   | s 0 |s 1|   s 2   | ..         offsets of 32 or 64 bits: segment s begins where the one before ends
//   apart     | s 3 |  | s 0 |  | s 1 | ..     begins and ends, in any order, with items of no segment between them
//
// Segments do not overlap. Items of no segment must stay in job.data. In job.alternate a sort may write only items of
// segments, each in its own segment's place. A host sort knows the longest segment when it says how much workspace it needs; a
// device sort does not, because the numbers lie in device memory: it must not wait for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/variant.hpp"

namespace sortlab {

/// Where the segments of an array lie. The numbers are in the memory that the items are in.
struct Cut {
  std::size_t count = 0;         // of segments
  const void* begins = nullptr;  // one number per segment; null: segment s begins at s * stride
  const void* ends = nullptr;    // null: each has `length` items
  std::size_t stride = 0;
  std::size_t length = 0;
  bool is_wide = false;  // the numbers have 64 bits, not 32

  /// Rows of one length, known to the host for device sorts, too.
  SORTLAB_HD bool is_rows() const { return begins == nullptr && ends == nullptr; }
  SORTLAB_HD std::size_t begin(std::size_t s) const {
    return begins == nullptr ? s * stride : number(begins, s);
  }
  SORTLAB_HD std::size_t end(std::size_t s) const {
    return ends == nullptr ? begin(s) + length : number(ends, s);
  }

 private:
  SORTLAB_HD std::size_t number(const void* numbers, std::size_t s) const {
    return is_wide ? static_cast<const std::uint64_t*>(numbers)[s]
                   : static_cast<const std::uint32_t*>(numbers)[s];
  }
};

/// What such a sort may know when it says how much workspace it needs.
struct SegmentsRequest {
  WorkspaceRequest array;  // n: from the first segment's place to the last one's
  std::size_t count;       // of segments
  std::size_t longest;     // no segment is longer
  bool is_rows = false;    // and all are as long as that
};

/// One such sort to be done, with its types erased.
struct ErasedSegmentsJob {
  ErasedJob array;
  Cut cut;
  std::size_t longest;  // as in the request
};

/// One such sort to be done.
template <class Key, class Value, Order kOrder>
struct SegmentsJob : Job<Key, Value, kOrder> {
  Cut cut;
  std::size_t longest;

  static SegmentsJob of(const ErasedSegmentsJob& e) {
    return {Job<Key, Value, kOrder>::of(e.array), e.cut, e.longest};
  }
};

/// The kind of jobs on many segments of one array.
struct Segments {
  static constexpr Kind kKind{"segments"};
  template <class Key, class Value, Order kOrder>
  using Job = SegmentsJob<Key, Value, kOrder>;
  using Erased = ErasedSegmentsJob;
  using Request = SegmentsRequest;
  using Needs = std::size_t;  // bytes of the workspace
};

}  // namespace sortlab

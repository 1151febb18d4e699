// What a top-k is: the contract of variants that find the best k items of rows, or bring them to the front of an array.
//
// It stands beside Job (variant.hpp), with the same rules. There are two kinds:
//
//   TopK     the keys stay as they are; each row's best items go, with their places in the row, to the other buffer
//   Partial  one array in host memory is rearranged so that its best k items come first
//
//   struct Heap {
//     using JobKind = TopK;
//     static constexpr Info info{.summary = "...", .alternate = true};
//     static size_t workspace_bytes(const TopKRequest&);
//     template <class Job>
//     static ResultIn sort(const Job& job);
//   };
//   SORTLAB_REGISTER(Heap, AllKeys, KeysAndPairs);
//
// `sort` is instantiated for each TopKJob<Key, Value, order>. The order says which items are the best: those that come
// first. In ascending order these are the smallest.
//
//   data.keys       | row 0 |pad| row 1 |pad| ..      row r begins at r * stride and has `length` keys
//   alternate.keys  | best of row 0 | of row 1 | ..   row r's begin at r * room(): as many as k_of(r) says
//   alternate.values, with pairs: u32 places in the row of what alternate.keys has. data.values is not read.
//
// A TopK has `alternate` in its Info and returns ResultIn::alternate. `stable` means that it can keep `first`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/contract/variant.hpp"

namespace sortlab {

/// Which items of each row are asked for.
struct Top {
  std::size_t k = 0;                  // at most, of each row
  const std::uint32_t* ks = nullptr;  // of each row: up to k; in the keys' memory. Null: k
  bool is_sorted = false;             // the best first, else in any order
  bool is_first =
      false;  // of equal keys, those in the first places; with is_sorted these come first
};

/// Rows of one length. One array is one row.
struct Rows {
  std::size_t count = 1;
  std::size_t length = 0;
  std::size_t stride = 0;  // from one row's begin to the next one's
};

/// What a TopK may know when it says how much workspace it needs.
struct TopKRequest {
  WorkspaceRequest array;  // n: from the first row's place to the last one's end
  Rows rows;
  Top top;  // without `ks`
};

/// One top-k to be done, with its types erased.
struct ErasedTopKJob {
  ErasedJob array;
  Rows rows;
  Top top;
};

/// One top-k to be done.
template <class Key, class Value, Order kOrder>
struct TopKJob : Job<Key, Value, kOrder> {
  Rows rows;
  Top top;

  /// Of the result, from one row to the next.
  SORTLAB_HD std::size_t room() const { return top.k < rows.length ? top.k : rows.length; }
  /// How many items of row r are asked for and are there.
  SORTLAB_HD std::size_t k_of(std::size_t r) const {
    return top.ks == nullptr || top.ks[r] > room() ? room() : top.ks[r];
  }

  static TopKJob of(const ErasedTopKJob& e) {
    return {Job<Key, Value, kOrder>::of(e.array), e.rows, e.top};
  }
};

/// The kind of jobs that find the best items of rows.
struct TopK {
  static constexpr Kind kKind{"top-k"};
  template <class Key, class Value, Order kOrder>
  using Job = TopKJob<Key, Value, kOrder>;
  using Erased = ErasedTopKJob;
  using Request = TopKRequest;
  using Needs = std::size_t;  // bytes of the workspace
};

/// One array whose best items come first, with its types erased. Sorted: the first k items. Else the item with k
/// better ones before it is in its place, none before it is worse, and none behind it is better.
struct ErasedPartialJob {
  ErasedJob array;
  std::size_t k;  // up to n
  bool is_sorted;
};

template <class Key, class Value, Order kOrder>
struct PartialJob : Job<Key, Value, kOrder> {
  std::size_t k;
  bool is_sorted;

  static PartialJob of(const ErasedPartialJob& e) {
    return {Job<Key, Value, kOrder>::of(e.array), e.k, e.is_sorted};
  }
};

struct PartialRequest {
  WorkspaceRequest array;
  std::size_t k;
  bool is_sorted;
};

/// The kind of jobs that bring the best items of an array to its front.
struct Partial {
  static constexpr Kind kKind{"partial"};
  template <class Key, class Value, Order kOrder>
  using Job = PartialJob<Key, Value, kOrder>;
  using Erased = ErasedPartialJob;
  using Request = PartialRequest;
  using Needs = std::size_t;  // bytes of the workspace
};

}  // namespace sortlab

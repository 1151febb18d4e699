// Merges the sorted runs that an exchange has delivered, with all threads of a part. merge_received.cpp compiles the
// merges for each type of keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cpu/merge/merge_runs.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/parts/exchange.hpp"

namespace sortlab::cpu::parts {

/// What keys of one type and order need to be merged.
template <class PartItems>
struct Merge {
  /// Merge Path: how many of the first `count` items of a stable merge come from the left run.
  std::size_t (*from_the_left)(const PartItems& items, merge::Range left, merge::Range right,
                               std::size_t count);
  void (*merge)(const PartItems& from, merge::Range left, merge::Range right, const PartItems& to,
                std::size_t out);
};
template <class PartItems>
Merge<PartItems> merge_for(KeyKind keys);

/// Two parts of neighbouring runs whose merge begins at `out`.
struct MergePiece {
  merge::Range left, right;
  std::size_t out;
};

/// Cuts the merge of two neighbouring runs into pieces of at most `most` items.
template <class PartItems>
void add_pieces(std::vector<MergePiece>& pieces, const Merge<PartItems>& merge,
                const PartItems& items, merge::Range left, merge::Range right, std::size_t most) {
  const std::size_t all = left.size() + right.size();
  std::size_t i = 0, j = 0;
  for (std::size_t done = 0; done < all;) {
    const std::size_t end = done + std::min(most, all - done);
    const std::size_t i_end = merge.from_the_left(items, left, right, end), j_end = end - i_end;
    pieces.push_back({{left.begin + i, left.begin + i_end},
                      {right.begin + j, right.begin + j_end},
                      left.begin + done});
    i = i_end;
    j = j_end;
    done = end;
  }
}

/// Merges pairs of neighbouring runs until one is left: ceil(log2 parts) passes over the items.
/// Equal keys stay in the order of the parts that sent them.
template <class Job>
void merge_received(const Job& job, Buffers<Job>& buffers, Counts runs) {
  constexpr std::size_t kLeast = 4096;  // items that are worth a separate piece
  const auto merge = merge_for<typename Buffers<Job>::PartItems>(job.keys);
  const auto threads = static_cast<std::size_t>(job.threads);
  const std::size_t most =
      threads == 1 ? total(runs) : std::max(total(runs) / (4 * threads), kLeast);
  std::erase(runs, 0);
  while (runs.size() > 1) {
    Counts merged;
    std::vector<MergePiece> pieces;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      const std::size_t mid = begin + runs[i];
      const std::size_t end = mid + (i + 1 < runs.size() ? runs[i + 1] : 0);
      add_pieces(pieces, merge, buffers.items, {begin, mid}, {mid, end}, most);
      merged.push_back(end - begin);
      begin = end;
    }
    threads::for_each_part(pieces.size(), job.threads, [&](std::size_t piece, int) {
      const auto& [left, right, out] = pieces[piece];
      merge.merge(buffers.items, left, right, buffers.other, out);
    });
    buffers.swap();
    runs = std::move(merged);
  }
}

}  // namespace sortlab::cpu::parts

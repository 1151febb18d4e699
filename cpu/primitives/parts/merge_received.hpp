// Merges the sorted runs that an exchange has delivered, with all threads of a part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cpu/merge/merge_runs.hpp"
#include "cpu/primitives/parallel/loops.hpp"
#include "cpu/primitives/parts/exchange.hpp"

namespace sortlab::cpu::parts {

/// Merge Path: how many of the first `count` items of a stable merge come from the left run.
template <class Items, class Less>
std::size_t from_the_left(const Items& items, merge::Range left, merge::Range right,
                          std::size_t count, Less less) {
  std::size_t low = count - std::min(count, right.size()), high = std::min(count, left.size());
  while (low < high) {
    const std::size_t mid = low + (high - low) / 2;
    const bool right_goes_first =
        less(items.keys[right.begin + (count - mid - 1)], items.keys[left.begin + mid]);
    right_goes_first ? high = mid : low = mid + 1;
  }
  return low;
}

/// Two parts of neighbouring runs whose merge begins at `out`.
struct MergePiece {
  merge::Range left, right;
  std::size_t out;
};

/// Cuts the merge of two neighbouring runs into pieces of at most `most` items.
template <class Items, class Less>
void add_pieces(std::vector<MergePiece>& pieces, const Items& items, merge::Range left,
                merge::Range right, std::size_t most, Less less) {
  const std::size_t all = left.size() + right.size();
  std::size_t i = 0, j = 0;
  for (std::size_t done = 0; done < all;) {
    const std::size_t end = done + std::min(most, all - done);
    const std::size_t i_end = from_the_left(items, left, right, end, less), j_end = end - i_end;
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
  const typename Job::Less less;
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
      add_pieces(pieces, buffers.items, {begin, mid}, {mid, end}, most, less);
      merged.push_back(end - begin);
      begin = end;
    }
    threads::for_each_part(pieces.size(), job.threads, [&](std::size_t piece, int) {
      const auto& [left, right, out] = pieces[piece];
      merge::merge_runs<merge::PlainCopy>(buffers.items, left, right, buffers.other, out, less);
    });
    buffers.swap();
    runs = std::move(merged);
  }
}

}  // namespace sortlab::cpu::parts

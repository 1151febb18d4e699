// Splitters of unsorted parts, from a sample: which of this part's items lie before each cut.
//
//   items    | . . * . . | . * . . . | * . . . . | ...     a random one of each of `size` equal stretches
//   sample   sorted, with the places of the items; then the even cuts of all parts' samples (splitters.hpp)
//
// A share between two cuts holds `size` samples. So it is n/P items, give or take one standard deviation of
// at most n/P / sqrt(size).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/primitives/parts/local_sort.hpp"
#include "cpu/primitives/parts/splitters.hpp"

namespace sortlab::cpu::parts {

/// A cut of unsorted items: an item lies before it if its key is below `key`, or equal to it and the item's
/// place is below `equal_until`.
template <class Bits>
struct ItemCut {
  Bits key;
  std::size_t equal_until;
};

/// The workspace that a sample of `size` items takes.
inline std::size_t sample_workspace_bytes(std::size_t size, const PartRequest& request) {
  const Params none;
  return fastest::stable::workspace_bytes(
      {size, request.key_bytes, sizeof(std::uint32_t), 1, none});
}

/// Some of a part's items, sorted, with their places.
template <class Job>
class Sample {
 public:
  using Key = typename Job::Key;

  /// Of `size` items, or of all if there are fewer.
  Sample(const Job& job, std::size_t size)
      : map_(job.map), n_(job.n), size_(std::min(size, job.n)) {
    for (std::vector<Key>& keys : keys_) keys.resize(size_);
    for (std::vector<std::uint32_t>& numbers : numbers_) numbers.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      keys_[0][i] = job.data.keys[place(i)];
      numbers_[0][i] = static_cast<std::uint32_t>(i);
    }
    const auto [key_type, order] = job.keys;
    using Numbered = Items<Key, std::uint32_t>;
    const ResultIn in = fastest::sort(
        fastest::stable::codes(key_type, sizeof(std::uint32_t), order),
        Numbered{keys_[0].data(), numbers_[0].data()},
        Numbered{keys_[1].data(), numbers_[1].data()}, size_, job.workspace, 1, job.isa);
    if (in == ResultIn::alternate) {
      keys_[0].swap(keys_[1]);
      numbers_[0].swap(numbers_[1]);
    }
  }

  SortedPart<Key> sorted() const { return {keys_[0].data(), size_, map_}; }
  std::size_t size() const { return size_; }
  /// The place of the sorted sample's item i among all items of the part.
  std::size_t place_of_sorted(std::size_t i) const { return place(numbers_[0][i]); }

 private:
  /// The place of item i of the sample, in stretch i.
  std::size_t place(std::size_t i) const {
    const std::size_t begin = stretch_begin(i);
    const std::uint64_t random = (i + 1) * 0x9E37'79B9'7F4A'7C15ull >> 32;
    return begin + (random * (stretch_begin(i + 1) - begin) >> 32);
  }
  std::size_t stretch_begin(std::size_t i) const { return n_ / size_ * i + n_ % size_ * i / size_; }

  KeyMap<Key> map_;
  std::size_t n_, size_;
  std::vector<Key> keys_[2];
  std::vector<std::uint32_t> numbers_[2];
};

/// The cuts of all parts' items into P shares, from samples of `size` items. All parts must call it.
template <class Job>
std::vector<ItemCut<typename Job::Key>> sampled_cuts(const Job& job, std::size_t size) {
  using Bits = typename Job::Key;
  using Equals = typename OwnCut<Bits>::Equals;
  const Sample<Job> sample(job, size);
  std::uint64_t all_size = sample.size();
  job.parts.all_sum(std::span(&all_size, 1));
  const std::uint64_t tolerance = all_size / static_cast<std::uint64_t>(job.parts.parts()) / 400;
  std::vector<ItemCut<Bits>> cuts;
  for (const auto& cut : even_cuts(job.parts, sample.sorted(), all_size, tolerance, 32)) {
    const std::size_t until = cut.equals == Equals::before   ? job.n
                              : cut.equals == Equals::behind ? 0
                                                             : sample.place_of_sorted(cut.before);
    cuts.push_back({cut.key, until});
  }
  return cuts;
}

}  // namespace sortlab::cpu::parts

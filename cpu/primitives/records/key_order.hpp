// The order of records by their keys, without moving a record: the first 8 bytes of each key and the record's
// number are sorted as a pair of u64 and u32, by the suite's fastest sort of such pairs. Where these words are
// equal, the next 8 bytes decide, and so on.
//
//   records  [banana..|apple...|bananas.]      pairs  (banana.. 0)(apple... 1)(bananas. 2)
//   sorted by the word                                (apple... 1)(banana.. 0)(bananas. 2)
//
// A tie of few records ends by comparing what remains of their keys; one of many sorts them by the next word.
// Stable: of equal keys the lower number comes first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/contract/record_shape.hpp"
#include "common/threads/team.hpp"
#include "cpu/primitives/parts/local_sort.hpp"

namespace sortlab::cpu::records {

/// Records that lie one behind the other.
struct Records {
  const std::byte* first;
  RecordShape shape;

  const std::byte* operator[](std::size_t i) const { return first + i * shape.bytes; }

  /// The 8 bytes of the key from byte `from` on, as a number with the same order; zeros follow the key's end.
  std::uint64_t word(std::size_t i, std::size_t from) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    std::memcpy(&word, (*this)[i] + from, std::min<std::size_t>(shape.key_bytes - from, 8));
    return __builtin_bswap64(word);
  }
};

/// What the sort of pairs and the merges of cpu/primitives/parts/ must know of a job.
struct PairJob {
  using Key = std::uint64_t;
  using Value = std::uint32_t;
  static constexpr KeyKind keys{KeyType::u64, Order::ascending};

  Items<Key, Value> data, alternate;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;

  /// The job of sorting the items from `begin` on.
  PairJob from(std::size_t begin) const {
    return {data.from(begin), alternate.from(begin), workspace, threads, isa};
  }
};

class KeyOrder {
 public:
  /// The workspace that it takes for up to n records.
  static std::size_t workspace_bytes(std::size_t n, int threads) {
    const std::size_t bytes = fastest::stable::workspace_bytes(n, sizeof(PairJob::Key),
                                                               sizeof(PairJob::Value), threads, {});
    return 2 * array_bytes<PairJob::Key>(n) + 2 * array_bytes<PairJob::Value>(n) + bytes;
  }

  /// Of up to `most` records; `workspace` is as large as workspace_bytes() says.
  KeyOrder(const Records& records, std::size_t most, std::span<std::byte> workspace, int threads,
           Isa isa)
      : records_(records),
        job_{.data = pairs_at(workspace.data(), most),
             .alternate = pairs_at(workspace.data() + pair_bytes(most), most),
             .workspace = workspace.subspan(2 * pair_bytes(most)),
             .threads = threads,
             .isa = isa},
        buffers_(job_) {}

  /// Orders the first n records.
  void sort(std::size_t n) {
    number(n);
    parts::sort_locally(job_, buffers_, n);
    finish_ties(0, n, kWord);
  }

  /// Makes pairs of the first n records, without sorting them.
  void number(std::size_t n) {
    threads::for_each_chunk(n, job_.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        buffers_.items.put(i, {records_.word(i, 0), static_cast<std::uint32_t>(i)});
      }
    });
  }

  /// Where pairs are sorted by their words: brings those with equal words from `begin` to `end` into the order of
  /// their keys from byte `from` on.
  void finish_ties(std::size_t begin, std::size_t end, std::size_t from) {
    if (from >= records_.shape.key_bytes) return;
    threads::for_each_chunk(end - begin, job_.threads, [&](std::size_t first, std::size_t last) {
      compare_short_ties({begin, end}, begin + first, begin + last, from);
    });
    // A tie of more than kShort records holds one of the places `at`. Words before `left` are those of later bytes.
    std::size_t left = begin;
    for (std::size_t at = begin; at < end; at += kShort) {
      const Tie tie = tie_of(at, left, end);
      if (tie.size() <= kShort) continue;
      sort_by_next_word(tie, from);
      left = tie.end;
      at = tie.end - 1;
    }
  }

  /// Writes the first n records in their order.
  void gather(std::size_t n, std::byte* out) const {
    constexpr std::size_t kAhead = 12;
    const std::size_t bytes = records_.shape.bytes;
    const std::uint32_t* const numbers = buffers_.items.values;
    threads::for_each_chunk(n, job_.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::byte* const next = records_[numbers[std::min(i + kAhead, end - 1)]];
        __builtin_prefetch(next);
        __builtin_prefetch(next + std::min<std::size_t>(bytes - 1, 64));
        std::memcpy(out + i * bytes, records_[numbers[i]], bytes);
      }
    });
  }

  const PairJob& job() const { return job_; }
  parts::Buffers<PairJob>& buffers() { return buffers_; }

  static constexpr std::size_t kWord = sizeof(PairJob::Key);

 private:
  static constexpr std::size_t kShort =
      1024;  // records that are compared rather than sorted by words

  struct Tie {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };

  template <class T>
  static std::size_t array_bytes(std::size_t n) {
    return (n * sizeof(T) + 255) / 256 * 256;
  }
  static std::size_t pair_bytes(std::size_t n) {
    return array_bytes<PairJob::Key>(n) + array_bytes<PairJob::Value>(n);
  }
  static Items<PairJob::Key, PairJob::Value> pairs_at(std::byte* at, std::size_t n) {
    return {reinterpret_cast<PairJob::Key*>(at),
            reinterpret_cast<PairJob::Value*>(at + array_bytes<PairJob::Key>(n))};
  }

  /// All pairs with the word of the one at `at`.
  Tie tie_of(std::size_t at, std::size_t begin, std::size_t end) const {
    const auto* const words = buffers_.items.keys;
    const auto [first, last] = std::equal_range(words + begin, words + end, words[at]);
    return {static_cast<std::size_t>(first - words), static_cast<std::size_t>(last - words)};
  }

  /// The ties within `all` that begin from `first` to `last`.
  void compare_short_ties(const Tie& all, std::size_t first, std::size_t last, std::size_t from) {
    const auto& [words, numbers] = buffers_.items;
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      const int order =
          std::memcmp(records_[a] + from, records_[b] + from, records_.shape.key_bytes - from);
      return order != 0 ? order < 0 : a < b;
    };
    std::size_t i = first;
    while (i < last && i > all.begin && words[i] == words[i - 1]) ++i;  // it began before
    while (i < last) {
      std::size_t tie_end = i + 1;
      while (tie_end < all.end && words[tie_end] == words[i]) ++tie_end;
      if (tie_end - i > 1 && tie_end - i <= kShort) std::sort(numbers + i, numbers + tie_end, less);
      i = tie_end;
    }
  }

  void sort_by_next_word(const Tie& tie, std::size_t from) {
    threads::for_each_chunk(tie.size(), job_.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = tie.begin + begin; i < tie.begin + end; ++i) {
        buffers_.items.keys[i] = records_.word(buffers_.items.values[i], from);
      }
    });
    PairJob job = job_.from(tie.begin);
    job.data = buffers_.items.from(tie.begin);
    job.alternate = buffers_.other.from(tie.begin);
    parts::Buffers<PairJob> part(job);
    parts::sort_locally(job, part, tie.size());
    if (part.in == ResultIn::alternate) {
      std::copy_n(part.items.keys, tie.size(), job.data.keys);
      std::copy_n(part.items.values, tie.size(), job.data.values);
    }
    finish_ties(tie.begin, tie.end, from + kWord);
  }

  Records records_;
  PairJob job_;
  parts::Buffers<PairJob> buffers_;
};

}  // namespace sortlab::cpu::records

#include "common/harness/input/records.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/input/fill.hpp"
#include "common/harness/input/random.hpp"
#include "common/threads/team.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t), kHalf = kWord / 2;

/// Writes `bytes` bytes of words: word(0), word(1), ..., each with its highest byte first.
template <class Word>
void write_words(std::byte* to, std::size_t bytes, Word word) {
  for (std::size_t at = 0; at < bytes; at += kWord) {
    const std::uint64_t highest_first = __builtin_bswap64(word(at / kWord));
    std::memcpy(to + at, &highest_first, std::min(kWord, bytes - at));
  }
}

void write_key(std::byte* key, std::size_t bytes, std::uint64_t number) {
  if (bytes <= kWord) return write_words(key, bytes, [=](std::size_t) { return number; });
  const std::uint64_t high = number >> 32 << 32, low = number << 32;
  write_words(key, kHalf, [=](std::size_t) { return high; });
  write_words(key + kHalf, bytes - kWord, [=](std::size_t i) { return random_word(high, 0, i); });
  write_words(key + bytes - kHalf, kHalf, [=](std::size_t) { return low; });
}

}  // namespace

void generate_records(std::span<std::byte> out, const RecordShape& shape, const Slice& slice,
                      const Distribution& distribution, std::uint64_t seed) {
  std::vector<std::uint64_t> numbers(slice.count);
  generate_slice(std::span(numbers), slice, distribution, seed);
  const int threads = slice.count < formulas::kParallelFrom ? 1 : usable_cpus();
  threads::for_each_chunk(slice.count, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::byte* const record = out.data() + i * shape.bytes;
      const std::uint64_t number = slice.first + i;
      write_key(record, shape.key_bytes, numbers[i]);
      write_words(record + shape.key_bytes, shape.bytes - shape.key_bytes, [=](std::size_t word) {
        return word == 0 ? number : random_word(seed, number, word);
      });
    }
  });
}

}  // namespace sortlab

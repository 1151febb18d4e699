#include "common/harness/verify/verify_records.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/input/random.hpp"
#include "common/harness/input/records.hpp"
#include "common/threads/team.hpp"

namespace sortlab {
namespace {

/// Below this, threads that go on spinning for a while would be felt by the next sort (verify.cpp).
constexpr std::size_t kParallelFromBytes = std::size_t{1} << 26;

template <class Pass>
void in_chunks(const RecordsAt& records, std::size_t n, Pass pass) {
  const int threads = n * records.shape.bytes < kParallelFromBytes ? 1 : usable_cpus();
  threads::for_each_chunk(n, threads, pass);
}

/// Each word is mixed with those before it, so that no two that change places go unseen.
std::uint64_t hash_of(const std::byte* record, std::size_t bytes) {
  std::uint64_t hash = kGoldenStep;
  for (std::size_t at = 0; at < bytes; at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, record + at, std::min(sizeof word, bytes - at));
    hash = mix_bits(hash + word + kGoldenStep);
  }
  return hash;
}

End end_of(const RecordsAt& records, std::size_t n, std::size_t i) {
  End end{std::vector<std::byte>(records.shape.key_bytes), 0};
  if (n == 0) return end;
  std::memcpy(end.key.data(), records[i], end.key.size());
  if (records.are_numbered()) end.number = records.number(i);
  return end;
}

}  // namespace

bool RecordsAt::are_numbered() const { return shape.bytes - shape.key_bytes >= kNumberBytes; }

std::uint64_t RecordsAt::number(std::size_t i) const {
  std::uint64_t number;
  std::memcpy(&number, (*this)[i] + shape.key_bytes, sizeof number);
  return __builtin_bswap64(number);
}

Fingerprint fingerprint(const RecordsAt& records, std::size_t n) {
  std::atomic<std::uint64_t> sum = 0, xor_ = 0;
  in_chunks(records, n, [&](std::size_t begin, std::size_t end) {
    std::uint64_t sum_of_chunk = 0, xor_of_chunk = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t hash = hash_of(records[i], records.shape.bytes);
      sum_of_chunk += hash;
      xor_of_chunk ^= hash;
    }
    sum += sum_of_chunk;
    xor_ ^= xor_of_chunk;
  });
  return {n, sum, xor_};
}

Findings look(const RecordsAt& records, std::size_t n, bool claims_stable) {
  std::atomic<bool> sorted = true, stable = true;
  const bool judges_stable = claims_stable && records.are_numbered();
  in_chunks(records, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
      const int order = std::memcmp(records[i - 1], records[i], records.shape.key_bytes);
      if (order > 0) sorted = false;
      if (order == 0 && judges_stable && records.number(i - 1) >= records.number(i)) stable = false;
    }
  });
  Findings found{fingerprint(records, n), sorted};
  if (judges_stable) found.stable = stable;
  found.first = end_of(records, n, 0);
  found.last = end_of(records, n, n - 1);
  return found;
}

}  // namespace sortlab

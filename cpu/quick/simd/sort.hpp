// The sort of cpu/quick/simd, for sorts that hand keys over to it. Its code is in cpu/quick/simd.cpp.
#pragma once

#include <cstddef>

#include "common/contract/isa.hpp"

namespace sortlab::cpu::quick::simd {

/// The bytes of keys in a bucket, on the average, unless a parameter says otherwise.
inline constexpr std::size_t kBucketBytes = std::size_t{256} << 10;

/// Whatever it needs beside the keys, and as much memory again.
struct Means {
  std::byte* workspace;  // of workspace_bytes()
  int threads;           // at most
  Isa isa;
  std::size_t bucket_bytes = kBucketBytes;
};

/// More n and more threads never take less.
std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, int threads,
                            std::size_t bucket_bytes = kBucketBytes);

/// Sorts n of the user's keys, which are read as signed integers: see SignedKeys. For int32_t and
/// int64_t.
template <class Key, bool kFloat>
void sort(Key* keys, Key* other, std::size_t n, Key flip, const Means& means);

}  // namespace sortlab::cpu::quick::simd

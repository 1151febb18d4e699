// The sort of cpu/quick/simd, for other sorts that call it. Its code is in cpu/quick/simd.cpp.
#pragma once

#include <cstddef>

#include "common/contract/isa.hpp"

namespace sortlab::cpu::quick::simd {

/// The average bytes of keys in a bucket, unless a parameter says otherwise.
inline constexpr std::size_t kBucketBytes = std::size_t{256} << 10;

/// Everything that the sort needs beside the keys and a second buffer of the same size.
struct Means {
  std::byte* workspace;  // of workspace_bytes()
  int threads;           // at most
  Isa isa;
  std::size_t bucket_bytes = kBucketBytes;
};

/// It never decreases with n or threads.
std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, int threads,
                            std::size_t bucket_bytes = kBucketBytes);

/// Sorts n of the user's keys, which are read as signed integers: see SignedKeys. For int32_t and
/// int64_t.
template <class Key, bool kFloat>
void sort(Key* keys, Key* other, std::size_t n, Key flip, const Means& means);

}  // namespace sortlab::cpu::quick::simd

// Inputs of records: the keys of a distribution with a payload that numbers them.
//
// Record i is a pure function of (i, n, seed). Its key is made of key i of the distribution as a u64, so that
// equal u64 keys give equal keys, and their order is the same:
//
//   key of 10 bytes   | 4 high bytes of the u64 | 2 bytes, a hash of these 4 | 4 low bytes of the u64 |
//   key of 3 bytes    | 3 highest bytes of the u64 |
//
// So small integers give keys that differ in their last bytes alone. The payload is i, as 8 bytes, then words that
// follow from i and the seed; a shorter payload is cut off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/contract/record_shape.hpp"
#include "common/harness/input/distributions.hpp"

namespace sortlab {

/// Fills `out` with the slice.count records of a part of the input.
void generate_records(std::span<std::byte> out, const RecordShape& shape, const Slice& slice,
                      const Distribution& distribution, std::uint64_t seed);

/// The bytes of a payload that number its record, if it has room for all of them.
inline constexpr std::size_t kNumberBytes = sizeof(std::uint64_t);

}  // namespace sortlab

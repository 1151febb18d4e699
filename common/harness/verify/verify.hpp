// Checks whether a result is sorted and a permutation of the input, without sorting it again.
//
// The fingerprint of a multiset of items is their count and the sum and the xor of their *hashed*
// bits. It does not depend on their order, so it is computed once from the input and compared with
// each result. The hash is necessary: plain sums of {2, 2} and {1, 3} are equal. Keys count by
// their bits (-0 is not +0). A value counts together with its key, so values that move to different
// keys are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/contract/key_types.hpp"
#include "common/contract/segments.hpp"
#include "common/contract/top_k.hpp"

namespace sortlab {

struct Fingerprint {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t xor_ = 0;

  bool operator==(const Fingerprint&) const = default;
};

/// The fingerprint of two multisets of items together.
Fingerprint together(const Fingerprint& a, const Fingerprint& b);

struct Verdict {
  bool sorted = false;
  bool permutation = false;
  std::optional<bool> stable;  // empty if the sort does not claim it, and for keys alone

  bool ok() const { return sorted && permutation && stable.value_or(true); }
  /// "" or the fault of the result.
  std::string fault() const;
};

/// Where the values of some items are, of a width that the table has, or none.
class ErasedValues {
 public:
  ErasedValues(std::nullptr_t) {}
  ErasedValues(const std::uint32_t* values) : ErasedValues(values, sizeof *values) {}
  ErasedValues(const void* values, std::size_t bytes)
      : values_(values), bytes_(values == nullptr ? 0 : bytes) {}

  bool are_there() const { return bytes_ != 0; }
  /// Calls f with a pointer to values of their type.
  template <class F>
  decltype(auto) visit(F f) const {
    return visit_value_type(
        bytes_, [&]<class Value>(Value) { return f(static_cast<const Value*>(values_)); });
  }
  std::uint64_t operator[](std::size_t i) const {
    return visit([i]<class Value>(const Value* values) -> std::uint64_t {
      if constexpr (std::is_same_v<Value, NoValue>) {
        return 0;
      } else {
        return values[i];
      }
    });
  }

 private:
  const void* values_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The fingerprint of n keys, with their values.
Fingerprint fingerprint(KeyType type, const void* keys, ErasedValues values, std::size_t n);

/// A place in the order of all items: the bytes of a key, of which memcmp knows the order, and the number that the item
/// had in the input.
struct End {
  std::vector<std::byte> key;
  std::uint64_t number = 0;
};

/// That of a number: `key` points at one of this type, or is null where there is none.
End end_of(KeyType type, Order order, const void* key, std::uint64_t number);

/// What a look at items shows that lie in one memory: a whole result, or a part of one.
struct Findings {
  Fingerprint fingerprint;
  bool sorted = true;
  std::optional<bool> stable = {};  // empty where nobody claims it
  // Of a part; keys of the same length for all parts, and any where there are no items:
  End first = {};
  End last = {};
};

/// Looks at n items. Looks for stability at pairs of a sort that claims it: the input's values must be 0, 1, 2, ..., so
/// they ascend among equal keys.
Findings look(KeyType type, Order order, const void* keys, ErasedValues values, std::size_t n,
              bool claims_stable);

/// The one verdict, on a result of whatever kind: its parts, in their order, against the fingerprint of the input. In
/// one memory there is one part.
Verdict judged(std::span<const Findings> parts, const Fingerprint& expected);

/// The verdict on a look at n items.
Verdict verify(KeyType type, Order order, const void* keys, ErasedValues values, std::size_t n,
               const Fingerprint& expected, bool claims_stable);

/// Keys with their u32 values, which are null for keys alone.
struct VerifiedItems {
  const std::byte* keys;
  const std::byte* values;
};

/// `result`: where a sort left the segments. `data`: its data, for the items between them. `input`: as before the sort.
/// The verdict `sorted` is about each segment; `permutation` about the multiset of each, and the items between them.
Verdict verify_segments(KeyType type, Order order, const VerifiedItems& result,
                        const VerifiedItems& data, const VerifiedItems& input, std::size_t n,
                        const Cut& cut, bool claims_stable);

/// `found`: the best items of each row, with their places in it. `kept`: the n keys after the call, which must be as
/// they were; top.ks is in host memory. The verdict `permutation` is about which keys were found, and their places;
/// `stable` about the places of equal keys, where they are asked for.
Verdict verify_top_k(KeyType type, Order order, const VerifiedItems& found, const std::byte* kept,
                     const VerifiedItems& input, std::size_t n, const Rows& rows, const Top& top);

/// Of n items the k best must come first, as PartialJob says.
Verdict verify_partial(KeyType type, Order order, const void* keys, ErasedValues values,
                       std::size_t n, std::size_t k, bool is_sorted, const Fingerprint& expected);

}  // namespace sortlab
